import { join } from 'node:path';
import { encodeCursor } from '../src/http/contract/cursor.ts';
import { BUN } from './paths.ts';
import type { Place } from './place.ts';
import { type Launch, runWell } from './processes.ts';
import type { RowsFile } from './rows.ts';
import { bearer, type Reply, type RunningServer, type ServerEntry, startServer } from './server.ts';
import { SQLITE_WORKS } from './work-names.ts';

const PROGRAM = 'src/main.ts';

/** How our program is started; all settings but the given ones are those of production. */
const animalStore = (...args: readonly string[]): Launch => ({
  command: [BUN, PROGRAM, ...args],
});

export const serve = (database: string, port: number): Launch =>
  animalStore('serve', '--database', database, '--port', String(port));

/** Fills a new catalogue. */
export const importRows = (place: Place, database: string, { path }: RowsFile): Promise<string> =>
  runWell(place, animalStore('import', path, '--database', database));

/** Makes an API key that may do all that the benchmark does. */
export const makeKey = async (place: Place, database: string): Promise<string> =>
  (
    await runWell(place, animalStore('keys', 'create', '--name', 'bench', '--database', database))
  ).trim();

/** The cursor of the available animals that follow an id. */
const cursorAfter = (id: number): string => encodeCursor(id, '/pets status=available');

/** Our server on a catalogue that exists. */
export const oursOn = (database: string, name = 'ours', title = 'Animal Store'): ServerEntry => ({
  name,
  title,
  kind: 'ours',
  works: SQLITE_WORKS,
  basePath: '/v1',
  page: ['cursor', cursorAfter],
  packages: [],
  prepare: async ({ port }) => serve(database, port),
  differs: [],
});

export interface Ours {
  readonly server: RunningServer;
  readonly database: string;
  readonly key: string;
}

/** Our server on a new catalogue with this many animals. */
export async function startOurs(place: Place, rows: RowsFile): Promise<Ours> {
  const database = join(place.folder('ours'), 'animals.db');
  await importRows(place, database, rows);
  return { ...(await startOursOn(place, database, oursOn(database), rows)), database };
}

/** A server of ours on a catalogue that exists, with a key made for it. */
export async function startOursOn(
  place: Place,
  database: string,
  entry: ServerEntry,
  rows: RowsFile,
): Promise<{ server: RunningServer; key: string }> {
  const key = await makeKey(place, database);
  return { server: await startServer(place, entry, { rows, key }), key };
}

/** Headers that every server makes by itself. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection', 'keep-alive']);

/** What is answered to a GET, with the names of the headers as they are on the wire. */
export async function replyOf(url: string, key: string): Promise<Reply> {
  const response = await fetch(url, { headers: bearer(key), keepalive: false });
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name));
  return { status: response.status, headers, body: await response.text() };
}
