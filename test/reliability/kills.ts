import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../src/http/request/exact-json.ts';
import { childrenOf } from '../process/children.ts';
import { withFile } from '../process/maintained.ts';
import type { ReceivedEvent } from '../support/event-requests.ts';
import {
  bearer,
  type RunningService,
  startService,
  until,
  withService,
  workplace,
} from '../support/process.ts';
import type { Random } from '../support/random.ts';
import { faultsIn } from './content.ts';
import { MixedChanges } from './mixed-changes.ts';
import type { Resource, Told } from './told.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

const ROUNDS = 100;
const CLIENTS = 16;
const WORKERS = 2;

/** The longest time from the first change to the kill. */
const MAX_UPTIME_MS = 500;

/** A worker starts in less. */
const MAX_PAUSE_MS = 1_000;

/** How the service runs, and what is killed. */
interface Scene {
  readonly flags: readonly string[];
  readonly kill: (service: RunningService, random: Random, told: Told) => Promise<Killed>;
}

/** What is left of the service. */
interface Killed {
  readonly isRunning: boolean;
  /** Whether the processes that were not killed are there. */
  readonly othersRemain?: boolean;
  /** The longest time without a response with success, after the kill. */
  readonly pauseMs?: number;
}

interface Round {
  readonly acknowledged: number;
  readonly pauseMs: number;
  readonly problems: readonly string[];
}

const FLAGS = ['--log-level', 'error'];

/** Kills the service under changes of all kinds, and compares with what it acknowledged. */
async function killRound(scene: Scene, random: Random, isControl = false): Promise<Round> {
  const place = workplace();
  const { database } = place;
  const start = () => startService(database, [...FLAGS, ...scene.flags]);
  const judge = async (service: RunningService, key: string, changes: MixedChanges) => {
    const target = { origin: service.origin, key };
    await changes.retry(target);
    const { stored, events } = await readEverything(target);
    return changes.told.contradictions(stored, events);
  };
  try {
    const first = await start();
    const key = first.firstKey ?? '';
    let problems: string[] | undefined;
    let pause = 0;
    const problemsOfKill: string[] = [];
    const changes = new MixedChanges({ origin: first.origin, key }, random, CLIENTS);
    await withService(first, async (service) => {
      await until(() => changes.told.acknowledged > CLIENTS);
      await sleep(random() * MAX_UPTIME_MS);
      const killed = await scene.kill(service, random, changes.told);
      await changes.stop();
      const { othersRemain = true, pauseMs = 0 } = killed;
      pause = pauseMs;
      if (!othersRemain) problemsOfKill.push('another process ended, too');
      if (pauseMs > MAX_PAUSE_MS) problemsOfKill.push(`no response for ${Math.round(pauseMs)} ms`);
      if (isControl) removeAnimals(database);
      if (killed.isRunning) problems = await judge(service, key, changes);
    });
    problems ??= await withService(await start(), (second) => judge(second, key, changes));
    const { acknowledged } = changes.told;
    const faults = await faultsIn(database);
    return { acknowledged, pauseMs: pause, problems: [...problemsOfKill, ...problems, ...faults] };
  } finally {
    place.remove();
  }
}

/** All animals, orders, categories, API keys and events, over HTTP. */
async function readEverything(target: { readonly origin: string; readonly key: string }) {
  const stored = new Map<string, Resource>();
  const lists = ['pets', 'store/orders', 'categories'];
  for (const path of lists)
    for (const resource of await readList<Resource>(target, path)) {
      const { counts, ...rest } = resource;
      stored.set(`${path.replace('store/', '')}/${resource.id}`, rest as Resource);
    }
  for (const { id, name, revokedAt } of await readList<Resource>(target, 'api-keys'))
    stored.set(`api-keys/${id}`, { id, name, ...(revokedAt !== undefined && { isRevoked: true }) });
  return { stored, events: await readList<ReceivedEvent>(target, 'events') };
}

async function readList<Item>(
  { origin, key }: { readonly origin: string; readonly key: string },
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let url: string | undefined = `${origin}/v1/${path}?limit=100`; url !== undefined; ) {
    const response: Response = await fetch(url, bearer(key));
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    items.push(...(parseExactJson(text) as unknown as Item[]));
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return items;
}

/** Kills all processes of a service, the supervisor first or last. */
async function killAll(service: RunningService, random: Random): Promise<Killed> {
  const workers = childrenOf(service.pid);
  const all = random() < 0.5 ? [service.pid, ...workers] : [...workers, service.pid];
  for (const pid of all) process.kill(pid, 'SIGKILL');
  await service.ended();
  return { isRunning: false };
}

/** Kills a worker. Resolves when another one has its place, and clients have responses again. */
async function killWorker(service: RunningService, random: Random, told: Told): Promise<Killed> {
  const workers = childrenOf(service.pid);
  const killed = workers[Math.floor(random() * workers.length)] as number;
  process.kill(killed, 'SIGKILL');
  const before = told.acknowledged;
  let [pauseMs, last, lastMs] = [0, before, performance.now()];
  const watch = setInterval(() => {
    if (told.acknowledged === last) return;
    pauseMs = Math.max(pauseMs, performance.now() - lastMs);
    [last, lastMs] = [told.acknowledged, performance.now()];
  }, 1);
  await until(() => {
    const now = childrenOf(service.pid);
    return now.length === WORKERS && !now.includes(killed);
  });
  await sleep(random() * MAX_UPTIME_MS);
  // The responses to requests of before the kill do not count.
  await until(() => told.acknowledged > before + CLIENTS);
  clearInterval(watch);
  const now = childrenOf(service.pid);
  const othersRemain = workers.every((pid) => pid === killed || now.includes(pid));
  return { isRunning: true, othersRemain, pauseMs };
}

/** What a worse service would leave. */
const removeAnimals = (database: string): void =>
  withFile(database, (connection) => {
    connection.run('DELETE FROM pets WHERE id % 20 = 0');
  });

/** What is done and judged in each of these trials. */
export const KILL_METHOD =
  '16 clients add, change, order and remove animals, singly and in batches, settle orders, and create and revoke keys. The kill is at a random time within half a second after their first changes. Then all lists and all events must agree with the responses and with each other, batches must be whole, requests without a response that have an `Idempotency-Key` and are sent again must have one effect, and `check` must find nothing.';

const trialOf = (described: Pick<Trial, 'promise' | 'method'>, scene: Scene): Trial => ({
  ...described,
  unit: 'kills',
  isRandomSample: true,
  tools: [],
  limitMinutes: 20,
  async run({ random, report }): Promise<Outcome> {
    const failures: string[] = [];
    let [acknowledged, pauseMs] = [0, 0];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const outcome = await killRound(scene, random).catch(({ message }: Error): Round => {
        return { acknowledged: 0, pauseMs: 0, problems: [`it cannot be judged: ${message}`] };
      });
      acknowledged += outcome.acknowledged;
      pauseMs = Math.max(pauseMs, outcome.pauseMs);
      failures.push(...outcome.problems.map((problem) => `kill ${round}: ${problem}`));
      if (round % 10 === 0) report(`${round} kills, ${failures.length} failures`);
    }
    const { problems } = await killRound(scene, random, true);
    const fault = 'every twentieth animal is removed from the file';
    const control = controlOf(fault, problems, /^pets\/\d+ is missing, acknowledged was /);
    const figures = {
      'acknowledged changes': acknowledged,
      ...(pauseMs > 0 && { 'longest time without a response': `${Math.round(pauseMs)} ms` }),
    };
    return { trials: ROUNDS, failures, control, figures };
  },
});

const WITH_WORKERS = ['--workers', String(WORKERS)];

/** `kill -9` of the service under load, on SQLite. */
export const KILLS: Readonly<Record<string, Trial>> = {
  kill: trialOf(
    {
      promise: 'What the service acknowledged survives `kill -9`.',
      method: 'The service is killed, and started again.',
    },
    { flags: [], kill: killAll },
  ),
  'kill-workers': trialOf(
    {
      promise: 'What two workers acknowledged survives `kill -9` of all processes.',
      method: 'The supervisor and its workers are killed, in either order, and started again.',
    },
    { flags: WITH_WORKERS, kill: killAll },
  ),
  'kill-worker': trialOf(
    {
      promise:
        'If one of two workers is killed, the other one goes on, and nothing acknowledged is lost.',
      method:
        'A worker is killed, and the supervisor starts another one. The other one must remain, and clients must not be without a response for a second.',
    },
    { flags: WITH_WORKERS, kill: killWorker },
  ),
};
