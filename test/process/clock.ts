import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RunningService, startService, type Workplace } from '../support/process.ts';
import { preloading } from './children.ts';

const PRELOAD = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));

/** The executable of the drill preloads nothing. */
export const canSetClock = process.env['TEST_EXECUTABLE'] === undefined;

/** Starts the service with a clock that the returned function sets, by milliseconds from the real time. */
export async function startWithClock(
  { database, file }: Workplace,
  flags: readonly string[] = [],
): Promise<{ service: RunningService; setClock(shiftMs: number): void }> {
  const path = file('clock');
  const setClock = (shiftMs: number) => writeFileSync(path, String(shiftMs));
  setClock(0);
  const service = await startService(database, flags, {
    variables: { ...preloading(PRELOAD), CLOCK_SHIFT: path },
  });
  return { service, setClock };
}
