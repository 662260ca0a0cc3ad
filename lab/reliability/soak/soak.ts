import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StreamReader } from '../../../test/support/event-stream.ts';
import { scrape } from '../../../test/support/metrics.ts';
import {
  bearer,
  commandOf,
  type RunningService,
  runAnimalStore,
  startCommand,
  withService,
} from '../../../test/support/process.ts';
import { type Made, PacedLoad } from './paced-load.ts';

const SAMPLE_MS = 2_500;
/** The part of the time after which caches and pools are full. */
export const WARM_UP = 0.25;

/** For commands on a large database beside other load. */
const LONG = { limitMs: 300_000 } as const;

const CLOCK = fileURLToPath(new URL('accelerated-clock.ts', import.meta.url));
const LEAK = fileURLToPath(new URL('leak.ts', import.meta.url));

/** How a service is kept busy. */
export interface Soak {
  readonly database: string;
  /** A folder for backups. */
  readonly folder: string;
  readonly seconds: number;
  readonly perSecond: number;
  /** How much faster the wall clock of the service runs. */
  readonly factor?: number;
  /** Whether it loses memory and descriptors on purpose. */
  readonly leaks?: boolean;
  /** The size of the database in bytes. */
  readonly sizeOf: () => Promise<number>;
  readonly countRows: (table: 'orders' | 'idempotency_records') => Promise<number>;
}

/** What was measured at a moment. */
interface Sample {
  readonly memory: number;
  readonly descriptors: number;
  readonly size: number;
  readonly wal: number;
  /** The age of the oldest event in hours. */
  readonly oldestEvent: number;
  readonly median: number;
  readonly p99: number;
}

export interface Soaked {
  /** Those after the warm-up. */
  readonly samples: readonly Sample[];
  readonly requests: number;
  /** How many requests were due. */
  readonly scheduled: number;
  readonly changes: number;
  /** How many were made, and how many are left at the end. */
  readonly made: Made;
  readonly kept: Made;
  readonly failures: readonly string[];
}

const memoryOf = (pid: number): number =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** 0 if there is none. */
export const sizeOfFile = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Runs a command whose standard output is a file: hours of log would fill the memory of this process. */
const loggingTo = (file: string, command: readonly string[]): string[] => [
  ...['sh', '-c', 'file=$1; shift; exec "$@" >> "$file"', 'sh', file],
  ...command,
];

function start(options: Soak): Promise<RunningService> {
  const { database, folder, factor = 1, leaks = false, seconds } = options;
  const [runtime = '', ...program] = commandOf(
    ...['serve', '--database', database, '--port', '0', '--metrics-port', '0'],
    ...['--order-retention', '1d', '--event-retention', '1d'],
    ...['--rate-limit', '1000000/60s', '--cors-origins', 'https://shop.example'],
  );
  const preloads = [
    ...(factor === 1 ? [] : ['--preload', CLOCK]),
    ...(leaks ? ['--preload', LEAK] : []),
  ];
  return startCommand(loggingTo(`${folder}/log`, [runtime, ...preloads, ...program]), {
    variables: { CLOCK_FACTOR: String(factor) },
    limitMs: seconds * 1_000 + 2 * LONG.limitMs,
  });
}

/** Keeps a service busy: requests, a stream of events, scrapes of its metrics, and backups. */
export async function soak(options: Soak): Promise<Soaked> {
  return withService(await start(options), async (service) => {
    const { origin, firstKey: key = '' } = service;
    const stream = new StreamReader(await fetch(`${origin}/v1/events/stream`, bearer(key)));
    const load = new PacedLoad({ origin, key }, options.perSecond);
    let hasEnded = false;
    void stream.ended.then(() => {
      hasEnded = true;
    });
    const failures: string[] = [];
    const samples: Sample[] = [];
    const endMs = performance.now() + options.seconds * 1_000;
    while (performance.now() < endMs) {
      await sleep(SAMPLE_MS);
      samples.push(await takeSample(options, service, load));
      // What a reader does not need any more would be memory of this process.
      stream.events.length = 0;
      if (samples.length % BACKUP_EACH === 0) failures.push(...(await backUp(options)));
    }
    if (hasEnded) failures.push('the stream of events ended');
    await load.stop();
    await stream.close();
    const check = await runAnimalStore(['check', '--database', options.database], LONG);
    if (check.status !== 0) failures.push(`check: ${check.stdout}${check.stderr}`);
    return {
      samples: samples.slice(Math.ceil(samples.length * WARM_UP)),
      requests: load.requests,
      scheduled: load.scheduled,
      changes: load.changes,
      made: load.made,
      kept: {
        orders: await options.countRows('orders'),
        'idempotency records': await options.countRows('idempotency_records'),
      },
      failures: [...load.failures, ...failures],
    };
  });
}

async function takeSample(
  { database, sizeOf }: Soak,
  service: RunningService,
  load: PacedLoad,
): Promise<Sample> {
  const scraped = await scrape(service);
  return {
    memory: memoryOf(service.pid),
    descriptors: readdirSync(`/proc/${service.pid}/fd`).length,
    size: await sizeOf(),
    wal: sizeOfFile(`${database}-wal`),
    oldestEvent: (scraped.sum('animal_store_oldest_event_age_seconds') ?? Number.NaN) / 3_600,
    ...load.takeLatencies(),
  };
}

const BACKUP_EACH = 48;

/** A backup of a file while it is used. PostgreSQL has programs of its own. */
async function backUp({ database, folder }: Soak): Promise<string[]> {
  if (database.startsWith('postgres:')) return [];
  const args = ['backup', `${folder}/backup.db`, '--replace', '--database', database];
  const { status, stderr } = await runAnimalStore(args, LONG);
  return status === 0 ? [] : [`backup: ${stderr}`];
}
