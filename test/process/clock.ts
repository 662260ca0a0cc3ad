import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type RunningService,
  sourceCommandOf,
  startCommand,
  type Workplace,
} from '../support/process.ts';

const PRELOAD = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));

/** An executable preloads nothing. */
export const canSetClock = process.env['TEST_EXECUTABLE'] === undefined;

/** Starts the service with a clock that the returned function sets, by milliseconds from the real time. */
export async function startWithClock(
  { database, file }: Workplace,
  flags: readonly string[] = [],
): Promise<{ service: RunningService; setClock(shiftMs: number): void }> {
  const path = file('clock');
  const setClock = (shiftMs: number) => writeFileSync(path, String(shiftMs));
  setClock(0);
  const [runtime = '', ...program] = sourceCommandOf(
    'serve',
    '--database',
    database,
    '--port',
    '0',
  );
  const service = await startCommand([runtime, '--preload', PRELOAD, ...program, ...flags], {
    variables: { CLOCK_SHIFT: path },
  });
  return { service, setClock };
}
