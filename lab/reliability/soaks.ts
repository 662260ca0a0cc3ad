import postgres from 'postgres';
import { withFile } from '../../test/process/maintained.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type Slope, slopeOf } from './soak/slope.ts';
import { type Soak, type Soaked, sizeOfFile, soak, WARM_UP } from './soak/soak.ts';
import { controlOfAll, type Outcome, type Trial, type TrialOptions } from './trial.ts';

const MIB = 2 ** 20;
const DAY_S = 86_400;
/** What is kept for a day is deleted in the second one. */
const DAYS = 2;
/** Two days pass in ten minutes. */
const FACTOR = 288;
const PER_SECOND = 500;
const CONTROL_S = 60;

/** Of the requests that were due. */
const MIN_SENT = 0.95;
/** Of its mean, after the warm-up: more would be a leak. */
const MAX_MEMORY_GROWTH = 0.2;
const MAX_MORE_DESCRIPTORS = 5;
const MAX_LATENCY_GROWTH_MS = 5;
const MAX_WAL = 64 * MIB;
const MAX_BYTES_PER_CHANGE = 2_000;
/** Events are kept for a day, and deleted every ten minutes. */
const [MIN_EVENT_HOURS, MAX_EVENT_HOURS] = [24, 26];
/** Of the orders and idempotency records that were made in two days, of which a day and a bit is kept. */
const MAX_KEPT = 0.65;

type Series = 'memory' | 'descriptors' | 'median' | 'p99' | 'size' | 'wal';

const seriesOf = ({ samples }: Soaked, name: Series): Slope =>
  slopeOf(samples.map((sample) => sample[name]));

/** Whether a value grew for sure, and by more than it may. */
const growsBeyond = ({ change, low }: Slope, limit: number): boolean => low > 0 && change > limit;

/** What grew more than it may, as sentences. */
function problemsOf(soaked: Soaked): string[] {
  const { samples, requests, scheduled, changes, failures } = soaked;
  const [memory, descriptors] = [seriesOf(soaked, 'memory'), seriesOf(soaked, 'descriptors')];
  const wal = Math.max(...samples.map((sample) => sample.wal));
  const problems: string[] = [];
  if (requests < scheduled * MIN_SENT)
    problems.push(`only ${requests} of ${scheduled} requests were sent`);
  if (growsBeyond(memory, memory.mean * MAX_MEMORY_GROWTH))
    problems.push(`memory grows: ${interval(memory, MIB)} MiB`);
  if (growsBeyond(descriptors, MAX_MORE_DESCRIPTORS))
    problems.push(`descriptors grow: ${interval(descriptors, 1)}`);
  const median = seriesOf(soaked, 'median');
  if (growsBeyond(median, MAX_LATENCY_GROWTH_MS))
    problems.push(`the median time until a response grows: ${interval(median, 1)} ms`);
  if (wal > MAX_WAL) problems.push(`the -wal has ${Math.round(wal / MIB)} MiB`);
  const perChange = bytesPerChange(soaked);
  if (perChange > MAX_BYTES_PER_CHANGE)
    problems.push(
      `the database grows by ${Math.round(perChange)} bytes for each of ${changes} changes`,
    );
  return [...failures, ...problems];
}

/** What the jobs of two days did not delete, or deleted too early, as sentences. */
function problemsOfDays({ samples, made, kept }: Soaked): string[] {
  const oldest = samples.at(-1)?.oldestEvent ?? Number.NaN;
  const problems: string[] = [];
  if (!(oldest >= MIN_EVENT_HOURS && oldest <= MAX_EVENT_HOURS))
    problems.push(`the oldest event is ${oldest.toFixed(1)} hours old`);
  for (const what of ['orders', 'idempotency records'] as const)
    if (!(kept[what] > 0 && kept[what] <= made[what] * MAX_KEPT))
      problems.push(`${kept[what]} of ${made[what]} ${what} are left`);
  return problems;
}

const bytesPerChange = (soaked: Soaked): number =>
  seriesOf(soaked, 'size').change / (soaked.changes * (1 - WARM_UP));

const interval = ({ change, low, high }: Slope, unit: number): string => {
  const [value, from, to] = [change, low, high].map((one) => (one / unit).toFixed(1));
  return `${value} (${from} to ${to})`;
};

function figuresOf(soaked: Soaked): Outcome['figures'] {
  const { samples, requests, changes, kept } = soaked;
  const wal = Math.max(...samples.map((sample) => sample.wal));
  const memory = seriesOf(soaked, 'memory');
  const [median, p99] = [seriesOf(soaked, 'median'), seriesOf(soaked, 'p99')];
  return {
    requests,
    changes,
    'mean memory': `${Math.round(memory.mean / MIB)} MiB`,
    'change of the memory': `${interval(memory, MIB)} MiB`,
    'change of the descriptors': interval(seriesOf(soaked, 'descriptors'), 1),
    'median time until a response': `${median.mean.toFixed(2)} ms`,
    'change of the median': `${interval(median, 1)} ms`,
    '99th percentile of that time': `${p99.mean.toFixed(1)} ms`,
    'change of the 99th percentile': `${interval(p99, 1)} ms`,
    ...(wal > 0 && {
      'largest `-wal`': `${(wal / MIB).toFixed(1)} MiB`,
      'change of the `-wal`': `${interval(seriesOf(soaked, 'wal'), MIB)} MiB`,
    }),
    'growth of the database': `${interval(seriesOf(soaked, 'size'), MIB)} MiB`,
    'growth of the database per change': `${Math.round(bytesPerChange(soaked))} bytes`,
    'age of the oldest event at the end': `${samples.at(-1)?.oldestEvent.toFixed(1)} hours`,
    'orders at the end': kept.orders,
    'idempotency records at the end': kept['idempotency records'],
  };
}

type Part = Pick<Soak, 'seconds' | 'factor' | 'leaks'>;

async function onFile(part: Part): Promise<Soaked> {
  const folder = temporaryFolder();
  try {
    const database = folder.file('animals.db');
    const sizeOf = async () => sizeOfFile(database);
    const countRows = async (table: string) =>
      withFile(database, (connection) => {
        const row = connection.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`);
        return row.get()?.rows ?? Number.NaN;
      });
    const options = { database, folder: folder.path, sizeOf, countRows };
    return await soak({ ...options, perSecond: PER_SECOND, ...part });
  } finally {
    folder.remove();
  }
}

async function onPostgres(part: Part): Promise<Soaked> {
  // Tests run without it. The clock of PostgreSQL is not faster: the server looks for what is dead more often.
  const settings = { autovacuum: 'on', autovacuum_naptime: '10s' };
  const server = await startPostgres({ settings });
  const folder = temporaryFolder();
  try {
    const name = await server.createDatabase();
    const sizeOf = async () => {
      const [row] = await server.sql`SELECT pg_database_size(${name}) AS size`;
      return Number(row?.['size']);
    };
    const countRows = async (table: string) => {
      const sql = postgres(server.url(name), { max: 1 });
      const [row] = await sql.unsafe(`SELECT count(*) AS rows FROM animal_store.${table}`);
      await sql.end();
      return Number(row?.['rows']);
    };
    const options = { database: server.url(name), folder: folder.path, sizeOf, countRows };
    return await soak({ ...options, perSecond: PER_SECOND, ...part });
  } finally {
    folder.remove();
    await server.remove();
  }
}

const trialOf = (
  described: Pick<Trial, 'promise' | 'method' | 'lanes' | 'limitMinutes'>,
  run: (part: Part) => Promise<Soaked>,
  part: Part,
): Trial => ({
  ...described,
  unit: 'requests',
  isRandomSample: false,
  tools: [],
  async run({ report }: TrialOptions): Promise<Outcome> {
    const soaked = await run(part);
    const failures = [
      ...problemsOf(soaked),
      ...(part.factor === undefined ? [] : problemsOfDays(soaked)),
    ];
    report(`${soaked.requests} requests, ${failures.length} failures`);
    const found = problemsOf(await run({ ...part, seconds: CONTROL_S, leaks: true }));
    return {
      trials: soaked.requests,
      failures,
      figures: figuresOf(soaked),
      control: controlOfAll(
        'the service leaks 2.5 MiB and 10 descriptors a second',
        [/^memory grows/, /^descriptors grow/].map((names) =>
          found.find((problem) => names.test(problem)),
        ),
      ),
    };
  },
});

/** What is done and judged in each of these trials. */
export const SOAK_METHOD = `${PER_SECOND} requests a second arrive, whatever the service does: animals are added, found, changed, sold, reserved and removed, each POST with an \`Idempotency-Key\`. Beside it there are a stream of events, scrapes of the metrics, the log, a rate limit, which is counted and not reached, and, on SQLite, backups. At least ${MIN_SENT * 100} % of the requests must be sent. None may fail, and \`check\` must find nothing. The page shows the change of a straight line over the last three quarters of the time, in brackets its interval with a confidence of 95 %. If the interval is above 0, the change may be at most ${MAX_MEMORY_GROWTH * 100} % of the mean for the memory, ${MAX_MORE_DESCRIPTORS} for descriptors, and ${MAX_LATENCY_GROWTH_MS} ms for the median time until a response. The database may grow by at most ${MAX_BYTES_PER_CHANGE} bytes for each change, and the \`-wal\` may have ${MAX_WAL / MIB} MiB, to which SQLite cuts a longer one.`;

const DAY = `The wall clock of the service runs ${FACTOR} times faster, and its jobs come more often, so that ${DAYS} days take ten minutes. Events, orders and idempotency records are kept for a day. At the end, the oldest event must be ${MIN_EVENT_HOURS} to ${MAX_EVENT_HOURS} hours old, and of the orders and idempotency records of both days at most ${MAX_KEPT * 100} % may be left.`;

/** Load for long. */
export const SOAKS: Readonly<Record<string, Trial>> = {
  'days-sqlite': trialOf(
    {
      promise: 'Nothing grows without end in two days, on SQLite.',
      method: DAY,
      lanes: 1,
      limitMinutes: 20,
    },
    onFile,
    { seconds: (DAYS * DAY_S) / FACTOR, factor: FACTOR },
  ),
  'days-postgres': trialOf(
    {
      promise: 'Nothing grows without end in two days, on PostgreSQL.',
      method: DAY,
      lanes: 1,
      limitMinutes: 20,
    },
    onPostgres,
    { seconds: (DAYS * DAY_S) / FACTOR, factor: FACTOR },
  ),
  hour: trialOf(
    {
      promise: 'Nothing grows without end in an hour of real time.',
      method:
        'On SQLite, with the clocks of the machine. Searches are for common texts: one for a rare text takes as long as the catalogue is large. In a run of all trials, `partitions` and `busy-hosts` take most of the processors meanwhile: the times until a response then show neither speed nor growth.',
      lanes: 2,
      limitMinutes: 75,
    },
    onFile,
    { seconds: 3_600 },
  ),
};
