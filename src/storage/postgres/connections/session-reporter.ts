import { monotonicMs } from '../../../clock.ts';
import type { Observe } from '../../../observe/observation.ts';
import { withoutPassword } from '../../database-url.ts';
import type { SessionRefused } from '../failures.ts';

/** The shortest interval between equal reports: pools reopen connections repeatedly. */
const MIN_INTERVAL_MS = 10_000;

/** Reports connections that were closed because they do not have their own session. */
export function sessionReporter(observe: Observe) {
  const nextMs = new Map<string, number>();
  return (databaseUrl: string) =>
    ({ reason, message }: SessionRefused): void => {
      const database = withoutPassword(databaseUrl);
      const cause = `${database} ${reason}`;
      const nowMs = monotonicMs();
      if (nowMs < (nextMs.get(cause) ?? 0)) return;
      nextMs.set(cause, nowMs + MIN_INTERVAL_MS);
      observe({ kind: 'connection_rejected', database, reason: message });
    };
}
