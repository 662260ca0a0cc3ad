import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import type { PostgresServer } from './postgres.ts';
import {
  freePort,
  type Launch,
  type RunningProcess,
  startProcess,
  untilAnswered,
} from './processes.ts';
import { type RowsFile, shuffledIds } from './rows.ts';
import type { WorkName } from './work-names.ts';
import type { Measured } from './wrk.ts';

/** What a server is given to start with. */
export interface Site {
  readonly place: Place;
  /** A folder of its own. */
  readonly folder: string;
  readonly port: number;
  readonly rows: RowsFile;
  /** The API key that clients will use. */
  readonly key: string;
  /** What our server answers to the hot list; the limits answer just that. */
  readonly hotReply?: Reply;
  /** Where a work needs one: a server on which each can have a database of its own. */
  readonly postgres?: PostgresServer;
}

/** What all servers of a run are given alike. */
export type Given = Pick<Site, 'rows' | 'key' | 'hotReply' | 'postgres'>;

/** One answer, byte for byte, without the headers that every server makes by itself. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** One server that can be measured: all that the benchmark knows of it. */
export interface ServerEntry {
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'limit' | 'peer';
  /** What it does correctly; nothing else is timed. */
  readonly works: readonly WorkName[];
  /** What the addresses of its operations begin with. */
  readonly basePath: string;
  /** The path of the hot list where it is asked for in a way of its own. */
  readonly hotList?: string;
  /** How it is asked for the page that follows an animal: name and value of the parameter. */
  readonly page: readonly [name: string, value: (afterId: number) => string];
  /** Folders in bench/peers whose packages it needs. */
  readonly packages: readonly string[];
  /** Why it cannot run on this machine, if so. */
  readonly missing?: () => string | undefined;
  /** Brings the rows in, and tells how to start. */
  readonly prepare: (site: Site) => Promise<Launch>;
  /** How it is measured where it is no server of HTTP. */
  readonly measure?: Work['measure'];
  /** Requests of the check to which it answers otherwise than ours, and why it is timed all the same. */
  readonly differs: readonly Difference[];
}

interface Difference {
  readonly requests: RegExp;
  readonly because: string;
}

/** A server that answers. */
export interface RunningServer {
  readonly entry: ServerEntry;
  readonly origin: string;
  readonly key: string;
  readonly process: RunningProcess;
  /** Paths; @ stands for what varies, whose values are in the files. */
  readonly paths: Readonly<Record<'hotList' | 'coldList' | 'oneAnimal' | 'create', string>>;
  readonly files: Readonly<Record<'ids' | 'pages', string>>;
}

/** What is measured in one round; a mix tells of its reads too. */
export interface Sample extends Measured {
  readonly readsP99Ms?: number;
  /** The same where the creations of the mix are left out. */
  readonly readsP99WithoutWritesMs?: number;
}

export interface Run {
  readonly place: Place;
  readonly server: RunningServer;
  readonly seconds: number;
  /** Differs from run to run. */
  readonly number: number;
}

export interface Work {
  readonly title: string;
  readonly measure: (run: Run) => Promise<Sample>;
}

/** More than are asked for in any run, so that pages and animals are seldom asked for twice. */
const MOST_IDS = 500_000;

export const bearer = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
});

/** Prepares and starts a server, and resolves when it answers. */
export async function startServer(
  place: Place,
  entry: ServerEntry,
  given: Given,
): Promise<RunningServer> {
  const folder = place.folder(entry.name);
  const port = await freePort();
  const launch = await entry.prepare({ place, folder, port, ...given });
  const origin = `http://127.0.0.1:${port}`;
  const { basePath } = entry;
  const [parameter, valueAfter] = entry.page;
  const hotList = entry.hotList ?? `${basePath}/pets?limit=20&status=available`;
  const process = startProcess(place, launch, join(folder, 'server.log'));
  const key = launch.key ?? given.key;
  await untilAnswered(process, origin + hotList, bearer(key));
  const ids = shuffledIds(given.rows.count, Math.min(given.rows.count, MOST_IDS));
  return {
    entry,
    origin,
    key,
    process,
    paths: {
      hotList,
      coldList: `${basePath}/pets?limit=20&status=available&${parameter}=@`,
      oneAnimal: `${basePath}/pets/@`,
      create: `${basePath}/pets`,
    },
    files: {
      ids: writeLines(join(folder, 'ids.txt'), ids, String),
      pages: writeLines(join(folder, 'pages.txt'), ids, valueAfter),
    },
  };
}

function writeLines(path: string, ids: Uint32Array, render: (id: number) => string): string {
  writeFileSync(path, Array.from(ids, render).join('\n'));
  return path;
}
