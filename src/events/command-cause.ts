import { userInfo } from 'node:os';
import type { Clock } from '../clock.ts';
import type { Cause } from './cause.ts';

/** The cause of what a command changes. @param command its name, such as `keys create`. */
export const commandCause = (command: string, clock: Clock): Cause => ({
  actor: { command, user: userName() },
  at: clock.now(),
});

/** The name of the user who runs this process; the number if it has no name, as in some containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
