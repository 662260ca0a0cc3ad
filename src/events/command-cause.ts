import type { Clock } from '../clock.ts';
import type { Cause } from './cause.ts';

/** The cause of what a command changes. @param command its name, such as `keys create`. */
export const commandCause = (command: string, clock: Clock): Cause => ({
  actor: { command, user: userName() },
  at: clock.now(),
});

/**
 * The name of the user who runs this process; the number if it has no name, as in some containers. Not `userInfo`: this runtime
 * takes its name from the environment, which can have none or another one.
 */
function userName(): string {
  const number = String(process.getuid?.() ?? 'unknown');
  try {
    const { stdout } = Bun.spawnSync(['id', '-un'], { stderr: 'ignore' });
    return stdout.toString().trim() || number;
  } catch {
    return number;
  }
}
