/**
 * The limit of durable creations: Bun.serve inserts the animals of a request's body and their events by group commit, and sends
 * fixed headers. It checks nothing. The columns and the statement for events are those of the service. Environment
 * variables: PORT, DATABASE, a catalogue of the service, and RESPONSE, a file with a `RecordedResponse`.
 */
import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { insertionOf } from '../../../src/storage/insertion.ts';
import { insertedFieldsOf, valuesOf } from '../../../src/storage/rows.ts';
import { appendEvents } from '../../../src/storage/sqlite/statements/append-events.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { PETS } from '../../../src/storage/tables.ts';
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
const fields = insertedFieldsOf(PETS);
const cellsOf = valuesOf(PETS, fields);
const { columns, complete } = insertionOf(PETS, fields);
// Without a savepoint, a statement for each animal is faster than one for all.
const insert = database.prepare(`INSERT INTO pets (${columns}) VALUES (${columns.map(() => '?')})`);
const sql = new SqliteSql(database);
const CREATED = { type: 'pet.created', collection: 'pets', keyId: 1 } as const;

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
  const at = Date.now();
  const bodies: string[] = [];
  appendEvents(
    sql,
    batch.map(({ pet }) => {
      const resourceId = Number(insert.run(...complete(cellsOf(pet))).lastInsertRowid);
      const body = JSON.stringify({ id: resourceId, ...pet });
      bodies.push(body);
      return { ...CREATED, resourceId, at, content: `{"data":${body}}` };
    }),
  );
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
