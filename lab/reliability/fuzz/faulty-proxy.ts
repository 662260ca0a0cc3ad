import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a service that spoils one of many responses. */
export interface FaultyProxy {
  readonly port: number;
  /** The number of responses that it spoiled. */
  readonly spoiled: () => number;
  close(): void;
}

/** In place of a response: 500, or the end of the connection. */
const FAULTS: readonly ((client: Socket) => void)[] = [
  (client) => client.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n'),
  (client) => client.destroy(),
];

/** Starts a proxy that spoils each `every`th response of a port, by each fault in turn. */
export async function startFaultyProxy(target: number, every: number): Promise<FaultyProxy> {
  let responses = 0;
  let spoiled = 0;
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    server.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1', 0, 5) === 'HTTP/') responses += 1;
      if (responses < every * (spoiled + 1)) {
        client.write(chunk);
        return;
      }
      FAULTS[spoiled % FAULTS.length]?.(client);
      spoiled += 1;
      server.destroy();
    });
    client.on('data', (chunk) => server.write(chunk));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('end', () => to.end());
      from.on('close', () => to.destroy());
      from.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    spoiled: () => spoiled,
    close: () => listener.close(),
  };
}
