import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Something between client and server that can fail: a load balancer, or a bad network. */
export interface Forwarder {
  readonly port: number;
  /** How many clients are connected now. */
  readonly connections: number;
  /** New connections go to another port; those that are open are cut. */
  retarget(port: number): void;
  /** Resets all connections at once, towards both sides. */
  cut(): void;
  /**
   * While on, nothing arrives any more: open connections fall silent and new ones are accepted but
   * lead nowhere. Neither side learns that the other closes, so that a server keeps its sessions.
   * Switched off, those connections stay dead, until `cut` or `close`, and new ones work.
   */
  blackhole(isOn: boolean): void;
  /** While on, new connections are reset at once. */
  refuse(isOn: boolean): void;
  /**
   * Resets the next connection whose client sends a chunk with the text, after the server has got
   * it: the client cannot know whether it was done. Resolves when that has happened.
   */
  cutWhen(text: string): Promise<void>;
  /** Cuts all connections and listens no longer. */
  close(): Promise<void>;
}

type Direction = 'to server' | 'to client';

/** Sees every chunk that has been handed on. */
type OnBytes = (direction: Direction, chunk: Buffer) => void;

/** A client's connection, and the one to the server that belongs to it. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket | undefined;
  /** Swallowed by a black hole. */
  isDead: boolean;
}

/** Starts a forwarder on a free port of 127.0.0.1 that leads to the target's port. */
export async function startForwarder(
  target: { readonly port: number },
  { onBytes = () => {} }: { onBytes?: OnBytes } = {},
): Promise<Forwarder> {
  let targetPort = target.port;
  let isBlackhole = false;
  let isRefusing = false;
  const pairs = new Set<Pair>();
  const traps = new Set<{ text: string; sprung: () => void }>();

  const handOn = (pair: Pair, from: Socket, to: Socket, direction: Direction): void => {
    from.on('data', (chunk: Buffer) => {
      if (pair.isDead) return;
      const hasRoom = to.write(chunk, () => {
        onBytes(direction, chunk);
        if (direction === 'to server') spring(pair, to, chunk);
      });
      if (hasRoom) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.on('close', () => {
      if (!pair.isDead) to.end();
    });
  };

  const spring = (pair: Pair, server: Socket, chunk: Buffer): void => {
    for (const trap of traps) {
      if (!chunk.includes(trap.text)) continue;
      traps.delete(trap);
      pair.client.resetAndDestroy();
      server.end();
      trap.sprung();
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
    const forget = () => {
      if (client.destroyed && (server?.destroyed ?? true)) pairs.delete(pair);
    };
    client.on('close', forget);
    if (server === undefined) {
      client.resume();
      return;
    }
    server.on('close', forget);
    handOn(pair, client, server, 'to server');
    handOn(pair, server, client, 'to client');
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
    cutWhen: (text) => new Promise((sprung) => traps.add({ text, sprung })),
    close() {
      cut();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}

/** An error of one side is its end: the other side learns of it by the close that follows. */
const ignore = (): void => {};
