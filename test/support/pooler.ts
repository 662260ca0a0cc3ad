import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface PoolerOptions {
  /** What becomes of the parameters that a client sends at its start. */
  readonly parameters: 'forwarded' | 'ignored' | 'refused';
  /** Whether a client keeps one session of the server, or gets another one for each transaction. */
  readonly sessions: 'kept' | 'swapped';
}

/** A pooler in front of a real PostgreSQL that trusts everybody. */
interface Pooler {
  readonly port: number;
  /** Everything that clients have sent after their start, as text. */
  received(): string;
  /** Cuts all connections and listens no longer. */
  close(): Promise<void>;
}

/** How many sessions of the server all clients share, where sessions are swapped. */
const SHARED_SESSIONS = 3;

/** What every pooler hands on. */
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
    keep(client).once('data', (startup: Buffer) => {
      const asked = parametersOf(startup);
      const other = asked.find(([name]) => !FORWARDED.has(name));
      if (parameters === 'refused' && other !== undefined) {
        client.end(fatal(`unsupported startup parameter: ${other[0]}`));
        return;
      }
      client.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      const handedOn = startupOf(
        parameters === 'forwarded' ? asked : asked.filter(([name]) => FORWARDED.has(name)),
      );
      if (sessions === 'kept') {
        const server = connectToServer();
        server.write(handedOn);
        client.pipe(server).pipe(client);
      } else {
        shared ??= new SharedSessions(connectToServer, handedOn);
        void shared.serve(client);
      }
    });
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

/** A session of the server, which tells one listener at a time of what it answers. */
interface Session {
  readonly server: Socket;
  onMessage: (message: Buffer) => void;
}

/** Few sessions for many clients: each transaction of a client takes the one that was free longest. */
class SharedSessions {
  readonly #free: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];
  /** What the server says to whom it lets in, without the key of a session. */
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
    let isTaking = false;
    let answersDue = 0;

    const onAnswer = (answer: Buffer): void => {
      client.write(answer);
      if (kindOf(answer) !== 'Z') return;
      answersDue -= 1;
      const isInTransaction = answer.at(-1) !== IDLE;
      if (answersDue > 0 || isInTransaction || session === undefined) return;
      this.#give(session);
      session = undefined;
    };
    const send = async (): Promise<void> => {
      if (isTaking) return;
      isTaking = session === undefined;
      session ??= await this.#take();
      isTaking = false;
      session.onMessage = onAnswer;
      for (const message of unsent.splice(0)) {
        if (kindOf(message) === 'Q' || kindOf(message) === 'S') answersDue += 1;
        session.server.write(message);
      }
    };
    eachMessage(client, (message) => {
      if (kindOf(message) === 'X') return;
      unsent.push(message);
      void send();
    });
    // What a client has begun must not become another one's.
    client.on('close', () => session?.server.destroy());
  }

  #open(server: Socket, startup: Buffer): Promise<Buffer> {
    server.write(startup);
    return new Promise((resolve) => {
      const said: Buffer[] = [];
      const session: Session = {
        server,
        onMessage: (message) => {
          said.push(kindOf(message) === 'K' ? message.fill(7, 5) : message);
          if (kindOf(message) !== 'Z') return;
          this.#give(session);
          resolve(Buffer.concat(said));
        },
      };
      eachMessage(server, (message) => session.onMessage(message));
    });
  }

  #take(): Promise<Session> {
    const free = this.#free.shift();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(session: Session): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(session);
    else next(session);
  }
}

/** The state of a session outside of a transaction, in "ready for query". */
const IDLE = 'I'.charCodeAt(0);

const kindOf = (message: Buffer): string => message.toString('latin1', 0, 1);

/** Cuts what arrives into messages: one byte for the kind, four for the length of the rest. */
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

/** The first message of a client: its length, the version of the protocol, then names and values. */
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

/** An error after which the connection ends. */
function fatal(words: string): Buffer {
  const text = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${words}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}
