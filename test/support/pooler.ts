import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface PoolerOptions {
  /** How it treats the startup parameters of a client. */
  readonly parameters: 'forwarded' | 'ignored' | 'refused';
  /** Whether a client keeps one session of the server, also without transactions, or may get another one for each transaction. */
  readonly sessions: 'dedicated' | 'without transactions' | 'shared';
}

/** A pooler in front of a real PostgreSQL with trust authentication. */
interface Pooler {
  readonly port: number;
  /** Everything that clients have sent after their startup packet, as text. */
  received(): string;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/** The number of sessions of the server if sessions are shared. */
const SHARED_SESSIONS = 3;

/** The parameters that every pooler forwards. */
const FORWARDED = new Set(['user', 'database', 'client_encoding', 'application_name']);

/** Starts a pooler on a free port of 127.0.0.1. */
export async function startPooler(
  target: { readonly port: number },
  { parameters, sessions }: PoolerOptions,
): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const connectToServer = (): Socket => keep(connect(target.port, '127.0.0.1'));
  let shared: SharedSessions | undefined;
  let received = '';

  const listener = createServer((client) => {
    const begin = (startup: Buffer): void => {
      if (isTlsRequest(startup)) {
        client.once('data', begin).write('N');
        return;
      }
      const requested = parametersOf(startup);
      const other = requested.find(([name]) => !FORWARDED.has(name));
      if (parameters === 'refused' && other !== undefined) {
        client.end(fatal(`unsupported startup parameter: ${other[0]}`));
        return;
      }
      client.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        if (sessions === 'without transactions' && chunk.includes('BEGIN'))
          client.end(fatal('transaction blocks not allowed in statement pooling mode'));
      });
      const forwarded = startupOf(
        parameters === 'forwarded' ? requested : requested.filter(([name]) => FORWARDED.has(name)),
      );
      if (sessions !== 'shared') {
        const server = connectToServer();
        server.write(forwarded);
        client.pipe(server).pipe(client);
      } else {
        shared ??= new SharedSessions(connectToServer, forwarded);
        void shared.serve(client);
      }
    };
    keep(client).once('data', begin);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    received: () => received,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}

/** SSLRequest (postgresql.org/docs/current/protocol-message-formats.html). */
const isTlsRequest = (message: Buffer): boolean =>
  message.length === 8 && message.readInt32BE(4) === 80_877_103;

/** A session of the server, with one receiver of its messages at a time. */
interface Session {
  readonly server: Socket;
  onMessage: (message: Buffer) => void;
}

/** A few sessions for many clients: each transaction takes the session that was idle longest. */
class SharedSessions {
  readonly #free: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];
  /** The server's messages after authentication, with a fake cancel key. */
  readonly #greeting: Promise<Buffer>;

  constructor(connectToServer: () => Socket, startup: Buffer) {
    const opened = Array.from({ length: SHARED_SESSIONS }, () =>
      this.#open(connectToServer(), startup),
    );
    this.#greeting = Promise.race(opened);
  }

  async serve(client: Socket): Promise<void> {
    client.write(await this.#greeting);
    const unsent: Buffer[] = [];
    let session: Session | undefined;
    let isAcquiring = false;
    let pendingResponses = 0;

    const onMessage = (message: Buffer): void => {
      client.write(message);
      if (typeOf(message) !== 'Z') return;
      pendingResponses -= 1;
      const isInTransaction = message.at(-1) !== IDLE;
      if (pendingResponses > 0 || isInTransaction || session === undefined) return;
      this.#release(session);
      session = undefined;
    };
    const send = async (): Promise<void> => {
      if (isAcquiring) return;
      isAcquiring = session === undefined;
      session ??= await this.#acquire();
      isAcquiring = false;
      session.onMessage = onMessage;
      for (const message of unsent.splice(0)) {
        if (typeOf(message) === 'Q' || typeOf(message) === 'S') pendingResponses += 1;
        session.server.write(message);
      }
    };
    eachMessage(client, (message) => {
      if (typeOf(message) === 'X') return;
      unsent.push(message);
      void send();
    });
    // Another client must not continue the transaction of this one.
    client.on('close', () => session?.server.destroy());
  }

  #open(server: Socket, startup: Buffer): Promise<Buffer> {
    server.write(startup);
    return new Promise((resolve) => {
      const received: Buffer[] = [];
      const session: Session = {
        server,
        onMessage: (message) => {
          received.push(typeOf(message) === 'K' ? message.fill(7, 5) : message);
          if (typeOf(message) !== 'Z') return;
          this.#release(session);
          resolve(Buffer.concat(received));
        },
      };
      eachMessage(server, (message) => session.onMessage(message));
    });
  }

  #acquire(): Promise<Session> {
    const free = this.#free.shift();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(session: Session): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(session);
    else next(session);
  }
}

/** The transaction status `idle` in ReadyForQuery. */
const IDLE = 'I'.charCodeAt(0);

const typeOf = (message: Buffer): string => message.toString('latin1', 0, 1);

/** Splits the received bytes into messages: one byte for the type, four for the length of the rest. */
function eachMessage(socket: Socket, onMessage: (message: Buffer) => void): void {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 5 && unread.length > unread.readUInt32BE(1)) {
      const length = 1 + unread.readUInt32BE(1);
      onMessage(Buffer.from(unread.subarray(0, length)));
      unread = unread.subarray(length);
    }
  });
}

type Parameter = readonly [name: string, value: string];

/** Parses the startup packet: its length, the protocol version, then names and values. */
function parametersOf(startup: Buffer): Parameter[] {
  const words = startup.toString('utf8', 8).split('\0');
  const names = words.filter((_word, index) => index % 2 === 0 && words[index + 1] !== undefined);
  return names.map((name, index): Parameter => [name, words[2 * index + 1] ?? '']).filter(hasName);
}

const hasName = ([name]: Parameter): boolean => name !== '';

function startupOf(parameters: readonly Parameter[]): Buffer {
  const text = Buffer.from(`${parameters.flat().join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + text.length);
  head.writeUInt32BE(3 << 16, 4);
  return Buffer.concat([head, text]);
}

/** An ErrorResponse with severity FATAL. */
function fatal(message: string): Buffer {
  const text = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}
