import { ignoreSignals } from './cli/ignored-signals.ts';

// First because the rest takes a tenth of a second to load.
if (process.argv[2] === 'serve') ignoreSignals();

const { run } = await import('./cli/program.ts');
const { Io, PROCESS_STREAMS } = await import('./cli/io.ts');
process.exitCode = await run(process.argv.slice(2), new Io(PROCESS_STREAMS));
