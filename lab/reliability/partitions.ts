import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '../../test/support/guard.ts';
import type { Random } from '../../test/support/random.ts';
import { type Cluster, TOOLS, withCluster } from './partitions/cluster.ts';
import { CUT_OF_CONTROL, CUTS, type Cut } from './partitions/cuts.ts';
import { Load } from './partitions/load.ts';
import { HOSTS, type HostNumber } from './partitions/network.ts';
import { longestPause } from './partitions/pause.ts';
import { RESPONSE_LIMIT_MS } from './partitions/store-client.ts';
import type { Timeline } from './timeline.ts';
import { type Control, controlOf, type Outcome, type Trial, type TrialOptions } from './trial.ts';

/** One for each host that has the primary when a cut begins. Host 3 has no instance of the service. */
const ROUNDS = HOSTS.length;
/** Longer than the cluster takes to replace its primary. */
const CUT_MS = 30_000;
const MORE_CUT_MS = 10_000;
const CALM_MS = 4_000;
/** The `ttl` of 20 s, which Patroni does not let be shorter, the election, and the first connection of a standby. */
const MAX_PAUSE_S = 30;

/** A cut, in milliseconds of `performance.now()`. */
interface Round {
  readonly cut: Cut;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The longest time without an acknowledged addition, in seconds. */
  readonly pause: number;
  /** Why the cluster was not whole again, as a sentence. */
  readonly problem?: string;
}

/** Makes hosts fail under load, mends them, and waits until the cluster is whole. At first, the primary is on a given host. */
async function cutOnce(
  cluster: Cluster,
  load: Load,
  { cut, primary, random }: { cut: Cut; primary: HostNumber; random: Random },
): Promise<Round> {
  await cluster.database.movePrimary(primary);
  await cluster.database.whole();
  await sleep(CALM_MS);
  const fromMs = performance.now();
  const end = await cut.begin(cluster);
  await sleep(CUT_MS + random() * MORE_CUT_MS);
  const untilMs = performance.now();
  await end();
  const problem = await wholeAgain(cluster, load).then(
    () => undefined,
    ({ message }: Error) => `${cut.name}: ${message}`,
  );
  const pause = longestPause(load.addedMs, fromMs, performance.now());
  return { cut, fromMs, untilMs, pause, ...(problem !== undefined && { problem }) };
}

async function wholeAgain({ database }: Cluster, load: Load): Promise<void> {
  await database.whole();
  await load.changesEverywhere();
}

/** The control: the same cluster without synchronous commits. */
async function asynchronous(cluster: Cluster, { random, report }: TrialOptions): Promise<Control> {
  await cluster.database.makeAsynchronous();
  await cluster.database.movePrimary(1);
  const load = new Load(cluster, random);
  await load.start();
  await sleep(CALM_MS);
  const end = await CUT_OF_CONTROL.begin(cluster);
  await sleep(CUT_MS);
  await end();
  await cluster.database.primary();
  await sleep(CUT_MS);
  await load.stop();
  const fault = '`synchronous_mode` is off, and the primary is cut off';
  const problems = await load.problems();
  report(`the control finds ${problems.length} problems: ${problems.slice(0, 3).join('; ')}`);
  return controlOf(fault, problems, /two authors|went back|is lost|sold twice/);
}

/** The acknowledged writes of each second, and the cuts. */
function timelineOf(load: Load, rounds: readonly Round[], startMs: number): Timeline {
  const secondOf = (at: number) => Math.floor((at - startMs) / 1_000);
  const last = secondOf(load.acknowledgedMs.at(-1) ?? startMs);
  const perSecond = Array.from({ length: last + 1 }, () => 0);
  for (const at of load.acknowledgedMs)
    perSecond[secondOf(at)] = (perSecond[secondOf(at)] ?? 0) + 1;
  const periods = rounds.map(({ cut, fromMs, untilMs }) => {
    return { name: cut.name, from: secondOf(fromMs), until: secondOf(untilMs) };
  });
  return { title: 'Acknowledged writes per second', perSecond, periods };
}

function figuresOf(load: Load, rounds: readonly Round[]): Outcome['figures'] {
  const longest = (cut: Cut) =>
    Math.max(...rounds.filter((round) => round.cut === cut).map(({ pause }) => pause));
  const pauses = CUTS.map((cut) => `${longest(cut).toFixed(1)} s (${cut.name})`);
  return {
    'acknowledged writes': load.acknowledgedMs.length,
    orders: load.orders,
    'compared reads': load.reads,
    'longest times without an acknowledged addition': pauses.join('; '),
  };
}

async function partitions(options: TrialOptions): Promise<Outcome> {
  const { random, report } = options;
  return withCluster(async (cluster) => {
    const load = new Load(cluster, random);
    const startMs = performance.now();
    await load.start();
    const rounds: Round[] = [];
    for (let turn = 0; turn < ROUNDS * CUTS.length; turn += 1) {
      const cut = CUTS[turn % CUTS.length] as Cut;
      const primary = HOSTS[Math.floor(turn / CUTS.length)] as HostNumber;
      const round = await cutOnce(cluster, load, { cut, primary, random });
      rounds.push(round);
      report(
        `${cut.name}, primary on host ${primary}: ${round.pause} s, ${load.versions.problems.length} problems`,
      );
    }
    await load.stop();
    const late = rounds.filter(({ pause }) => pause > MAX_PAUSE_S);
    return {
      trials: rounds.length,
      failures: [
        ...(await load.problems()),
        ...rounds.flatMap(({ problem = [] }) => problem),
        ...late.map(({ cut, pause }) => `${cut.name}: ${pause} s without an acknowledged addition`),
      ],
      figures: figuresOf(load, rounds),
      timeline: timelineOf(load, rounds, startMs),
      control: await asynchronous(cluster, options),
    };
  });
}

const BUSY_PROCESSES = 10;
const MINUTES = 30;
const LOOK_MS = 1_000;
const CONTROL_S = 60;
/** Of the looks. The others had no answer in time. */
const MIN_ANSWERED = 0.5;

/**
 * Looks at the primary each second. @returns sentences about what it saw: another primary, or a new timeline, which a
 * primary begins that gave up and came back
 */
async function watchPrimary(
  { database }: Cluster,
  first: HostNumber,
  seconds: number,
): Promise<string[]> {
  const timeline = await database.timeline();
  let [looks, answered] = [0, 0];
  for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs; ) {
    await sleep(LOOK_MS);
    looks += 1;
    for (const host of HOSTS) {
      const status = await database.ask(host, '/primary').then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200 && host !== first) return [`node ${host} replaced node ${first}`];
      if (status === 200) answered += 1;
    }
  }
  if (answered < looks * MIN_ANSWERED)
    return [`node ${first} said ${answered} times of ${looks} that it is the primary`];
  const now = await database.timeline();
  return now === timeline ? [] : [`node ${first} began the timeline ${now} after ${timeline}`];
}

async function busyHosts({ random, report }: TrialOptions): Promise<Outcome> {
  return withCluster(async (cluster) => {
    const { database, processes } = cluster;
    const first = await database.primary();
    const busy = Array.from({ length: BUSY_PROCESSES }, () =>
      spawnGuarded(['sh', '-c', 'while :; do :; done'], { stdio: ['ignore', 'ignore', 'ignore'] }),
    );
    const load = new Load(cluster, random);
    await load.start();
    const startMs = performance.now();
    const seen = await watchPrimary(cluster, first, MINUTES * 60);
    const pause = longestPause(load.addedMs, startMs, performance.now());
    if (pause > MAX_PAUSE_S) seen.push(`${pause} s without an acknowledged addition`);
    await load.stop();
    for (const one of busy) one.kill('SIGKILL');
    report(`${seen.join('; ') || 'no failover'}, ${pause} s`);
    const problems = await load.problems();
    const primary = await database.primary();
    const goOn = processes.pause(`node${primary}`);
    const found = await watchPrimary(cluster, primary, CONTROL_S);
    goOn();
    return {
      trials: MINUTES,
      failures: [...problems, ...seen],
      figures: {
        'acknowledged writes': load.acknowledgedMs.length,
        'busy processes': BUSY_PROCESSES,
        'longest time without an acknowledged addition': `${pause.toFixed(1)} s`,
      },
      control: controlOf('Patroni is paused on the primary', found, /replaced/),
    };
  });
}

const COMMON = {
  asRoot: true,
  ownNetwork: true,
  lanes: 2,
  isRandomSample: false,
} as const;

/** What is done and judged in both trials. */
export const PARTITIONS_METHOD = `Three hosts, which are network namespaces, run the files of \`deploy/high-availability\`: etcd, Patroni and PostgreSQL 15 on each, HAProxy and an instance of the service on two. 12 clients change 12 animals, each change with \`If-Match\` and a name that says which version it makes; 4 add animals through HAProxy; 2 let both instances order the same animal at the same time. No version may have two authors, no read may show less than what was acknowledged or read before it began, no addition or order may be lost, no animal may be sold twice, and each request must get success, a conflict, 502, 503, 504 or the end of its connection within ${RESPONSE_LIMIT_MS / 1000} s. After each failure, both standbys must follow the primary, and both instances must accept changes again.`;

/** Failures between the hosts of a PostgreSQL that fails over. */
export const PARTITIONS: Readonly<Record<string, Trial>> = {
  partitions: {
    promise: `Cuts between hosts lose nothing, and additions are possible again after at most ${MAX_PAUSE_S} s.`,
    method: `The hosts fail for ${CUT_MS / 1000} to ${(CUT_MS + MORE_CUT_MS) / 1000} s in each of these ways, with the primary on each host in turn: ${CUTS.map(({ name }) => name).join('; ')}.`,
    unit: 'failures',
    tools: TOOLS,
    limitMinutes: 60,
    run: partitions,
    ...COMMON,
  },
  'busy-hosts': {
    promise: 'A busy machine does not lead to a failover.',
    method: `${BUSY_PROCESSES} processes that never wait run beside the clients and all hosts, on one processor. No node may replace the primary, the primary may not begin a new timeline, and additions may stop for at most ${MAX_PAUSE_S} s.`,
    unit: 'minutes',
    tools: [...TOOLS, 'taskset'],
    oneProcessor: true,
    limitMinutes: 45,
    run: busyHosts,
    ...COMMON,
  },
};
