import { monotonicMs } from '../../../clock.ts';
import type { Observe } from '../../../observe/observation.ts';
import { withoutPassword } from '../../database-address.ts';
import type { SessionNotOwn } from '../failures.ts';

/** How often the same is reported at most: pools open connections again and again. */
const AT_MOST_EVERY_MS = 10_000;

/** Reports connections that were closed since they had no session for themselves. */
export function sessionReports(observe: Observe) {
  const nextMs = new Map<string, number>();
  return (address: string) =>
    ({ reason, message }: SessionNotOwn): void => {
      const database = withoutPassword(address);
      const cause = `${database} ${reason}`;
      const nowMs = monotonicMs();
      if (nowMs < (nextMs.get(cause) ?? 0)) return;
      nextMs.set(cause, nowMs + AT_MOST_EVERY_MS);
      observe({ kind: 'connection_rejected', database, reason: message });
    };
}
