/** A port that the workers of a service share. */
export interface SharedPort {
  readonly port: number;
  /** Lets other services take the port. */
  release(): void;
}

/**
 * Takes a port on which no process listens: the given one, or any port for 0. Workers of several services of a user could
 * share a port: the system lets them.
 */
export async function takePort(hostname: string, port: number): Promise<SharedPort> {
  const probe = Bun.serve({
    hostname,
    port,
    reusePort: false,
    fetch: () => Promise.reject(),
  });
  try {
    const taken = probe.port ?? port;
    const mark = markTaken(taken);
    return { port: taken, release: () => mark?.stop(true) };
  } finally {
    await probe.stop(true);
  }
}

/**
 * Marks a port as taken, also while no worker listens on it. The mark is a socket whose name is in no folder. The name has no address:
 * `localhost` and `0.0.0.0` can be the same one. Only Linux has such names: elsewhere, services that start at the same moment
 * are not told apart.
 */
const markTaken = (port: number) =>
  process.platform === 'linux'
    ? Bun.listen({
        unix: `\0animal-store ${port}`,
        socket: { open: (socket) => void socket.end(), data: () => {} },
      })
    : undefined;
