import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy between client and server that can fail, like a load balancer or a network. */
export interface Forwarder {
  readonly port: number;
  /** The number of connected clients. */
  readonly connections: number;
  /** Sends new connections to another port, and resets the open ones. */
  retarget(port: number): void;
  /** Resets all connections, on both sides. */
  cut(): void;
  /**
   * While on, no data arrives: open connections are silent, and new ones are accepted but not
   * forwarded. Neither side learns that the other closes, so a server keeps its sessions.
   * When off again, these connections stay dead until `cut` or `close`, and new ones work.
   */
  blackhole(isOn: boolean): void;
  /** While on, new connections are reset immediately. */
  refuse(isOn: boolean): void;
  /**
   * Resets the next connection whose client sends a chunk with the text, after the server has received
   * it: the outcome is unknown to the client. Resolves after the reset.
   */
  cutWhen(text: string): Promise<void>;
  /** Resets all connections and stops listening. */
  close(): Promise<void>;
}

type Direction = 'to server' | 'to client';

/** Receives every forwarded chunk. */
type OnBytes = (direction: Direction, chunk: Buffer) => void;

/** The connection of a client, and its connection to the server. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket | undefined;
  /** Was open during a black hole. */
  isDead: boolean;
}

/** Starts a forwarder from a free port of 127.0.0.1 to the target's port. */
export async function startForwarder(
  target: { readonly port: number },
  { onBytes = () => {} }: { onBytes?: OnBytes } = {},
): Promise<Forwarder> {
  let targetPort = target.port;
  let isBlackhole = false;
  let isRefusing = false;
  const pairs = new Set<Pair>();
  const triggers = new Set<{ text: string; resolve: () => void }>();

  const forward = (pair: Pair, from: Socket, to: Socket, direction: Direction): void => {
    from.on('data', (chunk: Buffer) => {
      if (pair.isDead || to.destroyed) return;
      const hasRoom = to.write(chunk, () => {
        onBytes(direction, chunk);
        if (direction === 'to server') cutOnTrigger(pair, to, chunk);
      });
      if (hasRoom) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.on('close', () => {
      if (pair.isDead) return;
      to.end();
      // If it was paused because this side had no room, it would never see its own end.
      to.resume();
    });
  };

  const cutOnTrigger = (pair: Pair, server: Socket, chunk: Buffer): void => {
    for (const trigger of triggers) {
      if (!chunk.includes(trigger.text)) continue;
      triggers.delete(trigger);
      pair.client.resetAndDestroy();
      server.end();
      trigger.resolve();
    }
  };

  const listener = createServer((client) => {
    client.on('error', ignore);
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const server = isBlackhole ? undefined : connect(targetPort, '127.0.0.1').on('error', ignore);
    const pair: Pair = { client, server, isDead: isBlackhole };
    pairs.add(pair);
    const removeClosed = () => {
      if (client.destroyed && (server?.destroyed ?? true)) pairs.delete(pair);
    };
    client.on('close', removeClosed);
    if (server === undefined) {
      client.resume();
      return;
    }
    server.on('close', removeClosed);
    forward(pair, client, server, 'to server');
    forward(pair, server, client, 'to client');
  });

  const cut = (): void => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server?.resetAndDestroy();
    }
  };

  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return [...pairs].filter(({ client }) => !client.destroyed).length;
    },
    retarget(port) {
      targetPort = port;
      cut();
    },
    cut,
    blackhole(isOn) {
      isBlackhole = isOn;
      for (const pair of pairs) pair.isDead ||= isOn;
    },
    refuse(isOn) {
      isRefusing = isOn;
    },
    cutWhen: (text) => new Promise((resolve) => triggers.add({ text, resolve })),
    close() {
      cut();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}

/** An error is followed by a close, which is forwarded to the other side. */
const ignore = (): void => {};
