/** Stops what runs. Resolves when it has stopped. */
export type Stop = (reason: string) => Promise<void>;

/**
 * Calls `stop` on the first SIGTERM or SIGINT. A second one calls `kill`, and exits immediately
 * with status 1.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void, kill = () => {}): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      kill();
      process.exit(1);
    }
    isStopping = true;
    stop(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Stops on SIGTERM or SIGINT. Resolves when everything has stopped. */
export function stopOnSignal(stop: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    onStopSignal((signal) => stop(signal).then(resolve, reject));
  });
}

/**
 * Stops a worker on a message of its supervisor, when the supervisor has exited, or on SIGTERM.
 * Resolves when everything has stopped.
 */
export async function stopWithSupervisor(stop: Stop): Promise<void> {
  const { promise: requested, resolve: request } = Promise.withResolvers<string>();
  process.on('message', (message) => request(String(message)));
  process.on('disconnect', () => request('supervisor exited'));
  process.on('SIGTERM', request);
  process.on('SIGINT', () => {}); // A terminal also sends it to the supervisor.
  await stop(await requested);
  process.disconnect?.();
}
