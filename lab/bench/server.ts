import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from './postgres.ts';
import {
  freePort,
  type Launch,
  type RunningProcess,
  startProcess,
  waitUntilReady,
} from './processes.ts';
import { type RowsFile, shuffledIds } from './rows.ts';
import { POSTGRES_WORKLOADS, type WorkloadName } from './workload-names.ts';
import type { Workspace } from './workspace.ts';
import type { Measured } from './wrk.ts';

/** The input for starting a server. */
export interface ServerSetup {
  readonly workspace: Workspace;
  /** A folder for this server alone. */
  readonly folder: string;
  readonly port: number;
  readonly rows: RowsFile;
  /** The API key of the clients. */
  readonly key: string;
  /** Responses of our server, which the limits send. */
  readonly responses?: RecordedResponses;
  /** A PostgreSQL server for databases of their own, if a workload needs it. */
  readonly postgres?: PostgresServer;
}

/** The input that all servers of a run share. */
export type SharedSetup = Pick<ServerSetup, 'rows' | 'key' | 'responses' | 'postgres'>;

/** One response, without the headers that each server adds. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** A response to each of these requests. */
export type RecordedResponses = Readonly<
  Record<'hotList' | 'hotList100' | 'create', RecordedResponse>
>;

/** The description of a server to measure. */
export interface ServerEntry {
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'limit' | 'peer';
  /** The workloads that it implements correctly. Others are not measured. */
  readonly workloads: readonly WorkloadName[];
  /** The prefix of the paths of its operations. */
  readonly basePath: string;
  /** The path of the hot list, if it has a form of its own. */
  readonly hotList?: string;
  /** The query parameter for the page after an animal: name and value. */
  readonly page: readonly [name: string, value: (afterId: number) => string];
  /** Returns why it cannot run on this machine, or undefined. */
  readonly unavailableReason?: () => string | undefined;
  /** Imports the rows, and returns how to start. */
  readonly prepare: (site: ServerSetup) => Promise<Launch>;
  /** How it is measured if it is not an HTTP server. */
  readonly measure?: Workload['measure'];
  /** Checked requests whose responses differ from ours, and why it is measured nevertheless. */
  readonly knownDifferences: readonly KnownDifference[];
}

interface KnownDifference {
  readonly requests: RegExp;
  readonly reason: string;
}

/** The lists have 20 animals a page, those with 100 in their name 100. */
export type PathName =
  | 'hotList'
  | 'hotList100'
  | 'coldList'
  | 'coldList100'
  | 'oneAnimal'
  | 'create';

/** A server that is ready. */
export interface RunningServer {
  readonly entry: ServerEntry;
  readonly origin: string;
  readonly key: string;
  readonly process: RunningProcess;
  /** The PostgreSQL server, if it has one. */
  readonly postgres?: RunningProcess;
  /** Paths. @ is the varying part; the files contain its values. */
  readonly paths: Readonly<Record<PathName, string>>;
  readonly files: Readonly<Record<'ids' | 'pages', string>>;
}

/** The figures of one round. The mixed workload has those of its reads, too. */
export interface Sample extends Omit<Measured, 'generatorLoad' | 'failed'> {
  /** Processor time of the server for each request, user and system, all its processes. */
  readonly processorMicroseconds: number;
  /** The same of the PostgreSQL server. */
  readonly databaseMicroseconds?: number;
  readonly generatorLoad?: number;
  readonly readsP99Ms?: number;
  /** The same without the creations. */
  readonly readsP99WithoutWritesMs?: number;
}

export interface Run {
  readonly workspace: Workspace;
  readonly server: RunningServer;
  readonly seconds: number;
  /** Different for each run. */
  readonly number: number;
}

export interface Workload {
  readonly title: string;
  readonly measure: (run: Run) => Promise<Sample>;
}

/** More than the requests of a run, so that few pages and animals repeat. */
const MAX_IDS = 500_000;

export const bearer = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
});

/** Prepares and starts a server, and waits until it is ready. */
export async function startServer(
  workspace: Workspace,
  entry: ServerEntry,
  shared: SharedSetup,
): Promise<RunningServer> {
  const folder = workspace.folder(entry.name);
  const port = await freePort();
  const launch = await entry.prepare({ workspace, folder, port, ...shared });
  const origin = `http://127.0.0.1:${port}`;
  const { basePath } = entry;
  const [parameter, valueAfter] = entry.page;
  const coldList = `${basePath}/pets?limit=20&status=available&${parameter}=@`;
  const hotList = entry.hotList ?? `${basePath}/pets?limit=20&status=available`;
  const process = startProcess(workspace, launch, join(folder, 'server.log'));
  const key = launch.key ?? shared.key;
  await waitUntilReady(process, origin + hotList, bearer(key));
  const usesPostgres = entry.workloads.some((workload) => POSTGRES_WORKLOADS.includes(workload));
  const ids = shuffledIds(shared.rows.count, Math.min(shared.rows.count, MAX_IDS));
  return {
    entry,
    origin,
    key,
    process,
    ...(usesPostgres && shared.postgres && { postgres: shared.postgres.process }),
    paths: {
      hotList,
      hotList100: withLimit100(hotList),
      coldList,
      coldList100: withLimit100(coldList),
      oneAnimal: `${basePath}/pets/@`,
      create: `${basePath}/pets`,
    },
    files: {
      ids: writeLines(join(folder, 'ids.txt'), ids, String),
      pages: writeLines(join(folder, 'pages.txt'), ids, valueAfter),
    },
  };
}

const withLimit100 = (path: string): string => path.replace('limit=20', 'limit=100');

function writeLines(path: string, ids: Uint32Array, render: (id: number) => string): string {
  writeFileSync(path, Array.from(ids, render).join('\n'));
  return path;
}
