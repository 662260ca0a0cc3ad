import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** The header lines as they came. */
  readonly head: string;
  readonly body: string;
}

/**
 * One kept-alive connection, driven by hand: a client library would try again in silence where
 * a test has to see that an answer never came.
 */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    const onEnd = () => {
      this.#closed = true;
      this.#wake();
    };
    for (const event of ['end', 'error', 'close']) socket.on(event, onEnd);
  }

  /** Undefined when nobody listens. */
  static open(origin: string): Promise<Connection | undefined> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => resolve(new Connection(socket)));
      socket.once('error', () => resolve(undefined));
      socket.once('close', () => resolve(undefined));
    });
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** The next answer, or undefined when the connection closed before one was whole. */
  async answer(): Promise<Answer | undefined> {
    for (;;) {
      const answer = this.#take();
      if (answer !== undefined || this.#closed) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): Answer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = this.#received.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = this.#received.slice(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#received = this.#received.slice(end + 4 + length);
    return { status: Number(head.slice(9, 12)), head, body };
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The text of a request that adds an animal. The name is ASCII. */
export function newPetRequest(key: string, name: string): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  return [
    'POST /v1/pets HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

export const saysClose = ({ head }: Answer): boolean => /^connection: close$/im.test(head);

/** What became of the animals that many clients added at once. */
export class Written {
  /** The id of each name that was answered 201. */
  readonly acknowledged = new Map<string, number>();
  /** Names that were sent, and whose answer never came. */
  readonly unanswered = new Set<string>();
  /** Answers other than 201. */
  readonly refused: Answer[] = [];
  readonly duplicateIds: number[] = [];
  readonly #ids = new Set<number>();

  acknowledge(name: string, { body }: Answer): void {
    const { id } = JSON.parse(body) as { id: number };
    if (this.#ids.has(id)) this.duplicateIds.push(id);
    this.#ids.add(id);
    this.acknowledged.set(name, id);
  }
}

interface Target {
  readonly origin: string;
  readonly key: string;
}

/** Adds animals on one connection until it closes, or an answer says that it will. */
async function writeOn(
  connection: Connection,
  key: string,
  names: Iterator<string>,
  written: Written,
): Promise<void> {
  for (;;) {
    const name: string = names.next().value;
    connection.send(newPetRequest(key, name));
    const answer = await connection.answer();
    if (answer === undefined) written.unanswered.add(name);
    else if (answer.status === 201) written.acknowledge(name, answer);
    else written.refused.push(answer);
    if (answer === undefined || saysClose(answer)) return;
  }
}

function* namesOf(client: number): Generator<string, string> {
  for (let count = 0; ; count += 1) yield `animal ${client}-${count}`;
}

async function write({ origin, key }: Target, client: number, written: Written): Promise<void> {
  const names = namesOf(client);
  for (;;) {
    const connection = await Connection.open(origin);
    if (connection === undefined) return;
    await writeOn(connection, key, names, written);
    connection.close();
  }
}

/** Adds animals without a pause, each client on its own connection, until nobody listens any more. */
export function startWriters(
  target: Target,
  clients: number,
): { readonly written: Written; readonly finished: Promise<unknown> } {
  const written = new Written();
  const finished = Promise.all(
    Array.from({ length: clients }, (_value, client) => write(target, client, written)),
  );
  return { written, finished };
}
