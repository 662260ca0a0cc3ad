import type { Io } from './io.ts';

/** Says after a restore or a copy that webhook endpoints are disabled, if there are any. */
export function tellDisabledEndpoints(io: Io, count: number): void {
  if (count > 0)
    io.message(
      `Webhook endpoints are disabled: ${count}. The other database may still send to them. Enable those that this one is to send to.`,
    );
}
