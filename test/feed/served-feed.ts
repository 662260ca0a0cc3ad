import { readFileSync } from 'node:fs';
import { parseExactJson } from '../../src/http/request/exact-json.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import type { ReceivedEvent } from '../support/event-requests.ts';
import { freePort } from '../support/postgres-home.ts';
import {
  bearer,
  commandOf,
  type RunningService,
  startCommand,
  workplace,
} from '../support/process.ts';

export type FeedEngine = 'sqlite' | 'postgres';

/** What the keys of a feed may do. */
export const FEED_SCOPES = ['pets:read', 'pets:write', 'events:read'] as const;

/** A process of the service on a database of its own, which can be killed and started again. */
export class ServedFeed {
  #service: RunningService | undefined;
  /** Always the same: no service of another test gets the requests while this one is down. */
  readonly #port = freePort();

  private constructor(
    readonly engine: FeedEngine,
    readonly url: string,
    readonly key: string,
    /** The bytes of the events with their indexes. */
    readonly feedBytes: () => Promise<number>,
    readonly removeDatabase: () => Promise<void>,
    readonly limitMs: number,
  ) {}

  /** @param limitMs after this time, the process is killed. */
  static async start(engine: FeedEngine, limitMs = 30_000): Promise<ServedFeed> {
    const database = engine === 'sqlite' ? sqliteDatabase() : await postgresDatabase();
    const key = await createKey(database.url, FEED_SCOPES);
    const { url, feedBytes, remove } = database;
    const feed = new ServedFeed(engine, url, key, feedBytes, remove, limitMs);
    await feed.restart();
    return feed;
  }

  get origin(): string {
    return this.#service?.origin ?? '';
  }

  async restart(): Promise<void> {
    const flags = ['--database', this.url, '--port', `${await this.#port}`, '--log-level', 'error'];
    this.#service = await startCommand(commandOf('serve', ...flags), {
      showsKey: false,
      limitMs: this.limitMs,
    });
  }

  async kill(): Promise<void> {
    this.#service?.signal('SIGKILL');
    await this.#service?.ended();
  }

  async remove(): Promise<void> {
    await this.kill();
    await this.removeDatabase();
  }

  /** Resident memory (Linux). */
  memoryMib(): number {
    const status = readFileSync(`/proc/${this.#service?.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.origin}/v1${path}`, {
      method,
      headers: { ...bearer(this.key).headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** The animals as lists return them. */
  catalogue(): Promise<Record<string, unknown>[]> {
    return this.#list('/pets?limit=100');
  }

  /** The events as lists return them. @param after an id. */
  history(after: string | undefined): Promise<ReceivedEvent[]> {
    const query = after === undefined ? '' : `&after=${after}`;
    return this.#list(`/events?limit=100${query}`);
  }

  /** The id of the newest event. */
  async newestId(): Promise<string | undefined> {
    const [newest] = await this.#page<ReceivedEvent>(
      await this.send('GET', '/events?sort=-id&limit=1'),
    );
    return newest?.id;
  }

  async #list<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await this.send('GET', next);
      items.push(...(await this.#page<Item>(response)));
      next = /<[^>]*\/v1(\/[^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return items;
  }

  async #page<Item>(response: Response): Promise<Item[]> {
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return parseExactJson(text) as unknown as Item[];
  }
}

function sqliteDatabase() {
  const place = workplace();
  return {
    url: place.database,
    async feedBytes() {
      const { Database } = await import('bun:sqlite');
      using database = new Database(place.database);
      // The pages that the table and its indexes use.
      const sql = "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'events%'";
      return database.query<{ bytes: number }, []>(sql).get()?.bytes ?? 0;
    },
    remove: async () => place.remove(),
  };
}

async function postgresDatabase() {
  const scratch = await openMigratedScratch();
  return {
    url: scratch.url,
    async feedBytes() {
      const [row] = await scratch.sql<{ bytes: string }[]>`
        SELECT pg_total_relation_size('animal_store.events') AS bytes`;
      return Number(row?.bytes);
    },
    remove: () => scratch.remove(),
  };
}
