import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { copyCommand } from './copy.ts';
import { EXIT, reportFailure } from './exit-status.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { openapiCommand } from './openapi.ts';
import { serveCommand } from './serve.ts';
import { usageCommand } from './usage.ts';

/** Runs one command line, and resolves with the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('animal-store')
    .description(packageJson.description)
    .version(packageJson.version)
    .addCommand(serveCommand())
    .addCommand(keysCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(copyCommand())
    .addCommand(usageCommand())
    .addCommand(openapiCommand())
    .addHelpText('after', '\nExit status: 0 done, 1 failed, 2 wrong flag, argument or setting.');
  for (const command of everyCommand(program)) {
    command.exitOverride().showHelpAfterError('(--help tells more)');
  }
  // Without a listener, words whose reader is gone would end the process.
  process.stderr.on('error', () => {});
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return reportFailure(error);
  }
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
