/**
 * The limit of durable creations: Bun.serve inserts the animals of a request's body and their events by group commit, and sends
 * fixed headers. It checks nothing. It indexes the names in the background, by the code of the service. Environment
 * variables: PORT, DATABASE, a catalogue of the service, and RESPONSE, a file with a `RecordedResponse`.
 */
import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { INDEXING_INTERVAL_MS, NameIndexer } from '../../src/server/name-indexer.ts';
import { CODES } from '../../src/storage/event-rows.ts';
import { NameIndex } from '../../src/storage/sqlite/stores/name-index.ts';
import type { RecordedResponse } from '../server.ts';

interface Waiting {
  readonly pet: { readonly name: string; readonly categoryId: number; readonly status?: string };
  readonly resolve: (response: Response) => void;
}

/** A batch closes after this many turns of the event loop without another creation, as in the service. */
const QUIET_TURNS = 4;

const database = new Database(process.env['DATABASE'], { strict: true });
database.run('PRAGMA journal_mode = WAL');
database.run('PRAGMA synchronous = FULL');
// As large as in the service.
database.run('PRAGMA cache_size = -16384');
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
const { type, collection } = CODES['pet.created'];
// One statement for all events of a batch takes 0.2 µs less per event than one for each.
const insertEvents = database.prepare(
  `INSERT INTO events (type, collection, resource_id, at, key_id, content)
  SELECT ${type}, ${collection}, ? + key, ?, 1, value FROM json_each(?)`,
);

const names = new NameIndex(database);
const indexer = new NameIndexer({
  unindexed: () => names.unindexed(),
  indexNext: database.transaction((count: number) => names.indexNext(count)).immediate,
});
setInterval(indexer.run, INDEXING_INTERVAL_MS);

const { status, headers }: RecordedResponse = JSON.parse(
  readFileSync(process.env['RESPONSE'] ?? '', 'utf8'),
);
const init = { status, headers: new Headers(headers.map(([name, value]) => [name, value])) };

let waiting: Waiting[] = [];
let quietTurns = 0;
let seen = 0;
let isOpen = false;

/** Adds a creation to the batch, and opens one if none is open. */
function add(pet: Waiting['pet'], resolve: Waiting['resolve']): void {
  waiting.push({ pet, resolve });
  if (isOpen) return;
  isOpen = true;
  quietTurns = 0;
  seen = 1;
  setImmediate(endTurn);
}

function endTurn(): void {
  quietTurns = waiting.length > seen ? 0 : quietTurns + 1;
  seen = waiting.length;
  if (quietTurns < QUIET_TURNS) setImmediate(endTurn);
  else commitBatch();
}

/** COMMIT returns when the animals are on disk. Only then are the responses sent. */
function commitBatch(): void {
  const batch = waiting;
  waiting = [];
  isOpen = false;
  begin.run();
  let firstId = 0;
  const bodies = batch.map(({ pet: { name, categoryId, status } }) => {
    const id = Number(insert.run(name, categoryId, status ?? null).lastInsertRowid);
    firstId ||= id;
    return JSON.stringify({ id, name, categoryId, status });
  });
  const contents = bodies.map((body) => `{"data":${body}}`);
  insertEvents.run(firstId, Date.now(), `[${contents.join()}]`);
  commit.run();
  for (const [index, { resolve }] of batch.entries()) resolve(new Response(bodies[index], init));
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch(request) {
    if (request.method !== 'POST') return new Response();
    return new Promise((resolve, reject) => {
      request.json().then((pet) => add(pet as Waiting['pet'], resolve), reject);
    });
  },
});
