import { join } from 'node:path';
import { encodeCursor } from '../../src/http/contract/cursor.ts';
import { BUN } from './paths.ts';
import { type Launch, runOrFail } from './processes.ts';
import type { RowsFile } from './rows.ts';
import {
  bearer,
  type RecordedResponse,
  type RecordedResponses,
  type RunningServer,
  type ServerEntry,
  startServer,
} from './server.ts';
import { SQLITE_WORKLOADS } from './workload-names.ts';
import type { Workspace } from './workspace.ts';

const PROGRAM = 'src/main.ts';

/** Starts our program with the defaults of production, except for the given flags. */
const animalStore = (...args: readonly string[]): Launch => ({
  command: [BUN, PROGRAM, ...args],
});

/** Starts the service without metrics, as it does by default. */
export const serveWithoutMetrics = (
  database: string,
  port: number,
  flags: readonly string[] = [],
): Launch => animalStore('serve', '--database', database, '--port', String(port), ...flags);

/** Starts the service with metrics on a free port, so that they are measured with the requests. */
export const serve = (database: string, port: number, flags: readonly string[] = []): Launch =>
  serveWithoutMetrics(database, port, ['--metrics-port', '0', ...flags]);

/** Imports the rows into a new catalogue. */
export const importRows = (
  workspace: Workspace,
  database: string,
  { path }: RowsFile,
): Promise<string> => runOrFail(workspace, animalStore('import', path, '--database', database));

/** The scopes that the benchmark needs. */
const SCOPES = 'pets:read,pets:write,orders:read,orders:write,events:read';

/** Creates an API key for the benchmark. */
export const createKey = async (
  workspace: Workspace,
  database: string,
  scopes = SCOPES,
): Promise<string> =>
  (
    await runOrFail(
      workspace,
      animalStore('keys', 'create', '--name', 'bench', '--scopes', scopes, '--database', database),
    )
  ).trim();

/** The cursor of the page of available animals after an id. */
const cursorAfter = (id: number): string => encodeCursor(id, '/pets status=available');

/** Our server on an existing catalogue. */
export const oursOn = (
  database: string,
  name = 'ours',
  title = 'Animal Store',
  flags: readonly string[] = [],
): ServerEntry => ({
  name,
  title,
  kind: 'ours',
  workloads: SQLITE_WORKLOADS,
  basePath: '/v1',
  page: ['cursor', cursorAfter],
  prepare: async ({ port }) => serve(database, port, flags),
  knownDifferences: [],
});

export interface Ours {
  readonly server: RunningServer;
  readonly database: string;
  readonly key: string;
}

/** Starts our server on a new catalogue with these rows. */
export async function startOurs(workspace: Workspace, rows: RowsFile): Promise<Ours> {
  const database = join(workspace.folder('ours'), 'animals.db');
  await importRows(workspace, database, rows);
  return { ...(await startOursOn(workspace, database, oursOn(database), rows)), database };
}

/** Starts our server on an existing catalogue, with a new key. */
export async function startOursOn(
  workspace: Workspace,
  database: string,
  entry: ServerEntry,
  rows: RowsFile,
): Promise<{ server: RunningServer; key: string }> {
  const key = await createKey(workspace, database);
  const server = await startServer(workspace, entry, { rows, key });
  return { server, key };
}

/** Headers that each server adds. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection', 'keep-alive']);

/** Records the responses that the limits send. */
export async function recordResponses(ours: RunningServer): Promise<RecordedResponses> {
  const { origin, paths } = ours;
  return {
    hotList: await record(ours, origin + paths.hotList),
    hotList100: await record(ours, origin + paths.hotList100),
    create: await record(ours, origin + paths.create, {
      method: 'POST',
      body: '{"name":"Recorded","categoryId":7,"status":"pending"}',
    }),
  };
}

/** A response, with the header names as received. */
async function record(
  { key }: RunningServer,
  url: string,
  init: RequestInit = {},
): Promise<RecordedResponse> {
  const given = { ...bearer(key), 'Content-Type': 'application/json' };
  const response = await fetch(url, { ...init, headers: given, keepalive: false });
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name));
  return { status: response.status, headers, body: await response.text() };
}
