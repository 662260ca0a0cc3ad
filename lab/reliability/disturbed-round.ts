import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../src/http/request/exact-json.ts';
import { withFile } from '../../test/process/maintained.ts';
import type { ReceivedEvent } from '../../test/support/event-requests.ts';
import {
  bearer,
  type RunningService,
  startService,
  until,
  type Workplace,
  withService,
  workplace,
} from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { faultsIn } from './content.ts';
import { MixedChanges } from './mixed-changes.ts';
import type { Resource, Told } from './told.ts';
import { type Control, controlOf, controlOfAll, type Outcome, type Trial } from './trial.ts';

export const CLIENTS = 16;

/** The longest time from the first change to the disturbance. */
export const MAX_UPTIME_MS = 500;

/** What a disturbance may use. */
export interface Disturbed {
  readonly service: RunningService;
  readonly place: Workplace;
  readonly random: Random;
  readonly told: Told;
  /** As `MixedChanges.divert`. */
  readonly divert: (origin: string | undefined) => void;
}

/** What is left after a disturbance. */
export interface Left {
  readonly isRunning: boolean;
  /** What the disturbance itself found, as sentences. */
  readonly problems?: readonly string[];
  /** The longest time without a response with success. */
  readonly pauseMs?: number;
}

/** What happens to a service on SQLite that makes changes of all kinds. */
export interface Scene {
  /** Starts the service, the first time and after its end. */
  readonly start?: (place: Workplace) => Promise<RunningService>;
  /** Whether changes may be refused with 503 or 507. The judge then does not say whether they were made. */
  readonly mayRefuse?: boolean;
  /** Prepares the folder of the database. @returns what undoes it */
  readonly prepare?: (place: Workplace) => Promise<() => void>;
  readonly disturb: (disturbed: Disturbed) => Promise<Left>;
}

interface Round {
  readonly acknowledged: number;
  readonly pauseMs: number;
  readonly problems: readonly string[];
}

const startQuiet = ({ database }: Workplace): Promise<RunningService> =>
  startService(database, ['--log-level', 'error']);

/** Disturbs the service under changes of all kinds, and compares with what it acknowledged. */
async function disturbedRound(scene: Scene, random: Random, isControl = false): Promise<Round> {
  const { prepare } = scene;
  using place = workplace();
  const undo = await prepare?.(place);
  try {
    return await roundIn(place, scene, random, isControl);
  } finally {
    undo?.();
  }
}

async function roundIn(
  place: Workplace,
  { start = startQuiet, mayRefuse = false, disturb }: Scene,
  random: Random,
  isControl: boolean,
): Promise<Round> {
  const judge = async (service: RunningService, key: string, changes: MixedChanges) => {
    const target = { origin: service.origin, key };
    await changes.retry(target);
    const { stored, events } = await readEverything(target);
    return changes.told.contradictions(stored, events);
  };
  const first = await start(place);
  const key = first.firstKey ?? '';
  let problems: string[] | undefined;
  let left: Left | undefined;
  const options = { clients: CLIENTS, mayRefuse };
  const changes = new MixedChanges({ origin: first.origin, key }, random, options);
  const { told } = changes;
  await withService(first, async (service) => {
    try {
      await until(() => told.acknowledged > CLIENTS);
      await sleep(random() * MAX_UPTIME_MS);
      const divert = (origin: string | undefined) => changes.divert(origin);
      left = await disturb({ service, place, random, told, divert });
    } finally {
      await changes.stop();
    }
    if (isControl) removeAnimals(place.database);
    if (left.isRunning) problems = await judge(service, key, changes);
  });
  problems ??= await withService(await start(place), (second) => judge(second, key, changes));
  const { problems: found = [], pauseMs = 0 } = left ?? {};
  const faults = await faultsIn(place.database);
  return { acknowledged: told.acknowledged, pauseMs, problems: [...found, ...problems, ...faults] };
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

/** What a worse service would leave. */
const removeAnimals = (database: string): void =>
  withFile(database, (connection) => {
    connection.run('DELETE FROM pets WHERE id % 5 = 0');
  });

/** The longest time without an acknowledged change. */
export class PauseWatch {
  longestMs = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(told: Told) {
    let [last, lastMs] = [told.acknowledged, performance.now()];
    this.#timer = setInterval(() => {
      if (told.acknowledged === last) return;
      this.longestMs = Math.max(this.longestMs, performance.now() - lastMs);
      [last, lastMs] = [told.acknowledged, performance.now()];
    }, 1);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** What is done and judged in each trial of scenes. */
export const DISTURBED_METHOD =
  'Except on the network mount, the clients and the judgement are those of the kills of the service.';

interface Described extends Pick<Trial, 'promise' | 'method' | 'unit'> {
  readonly tools?: readonly string[];
  readonly asRoot?: boolean;
  readonly rounds: number;
  /** A control of what the removal of animals does not test, such as how long clients wait. */
  readonly control?: PlantedScene;
}

/** A scene with a planted fault. */
interface PlantedScene {
  readonly fault: string;
  readonly scene: Scene;
  /** The sentence that reports it. */
  readonly names: RegExp;
}

/** A round, or that it cannot be judged. */
const tryRound = (...round: Parameters<typeof disturbedRound>): Promise<Round> =>
  disturbedRound(...round).catch(({ message }: Error) => ({
    acknowledged: 0,
    pauseMs: 0,
    problems: [`it cannot be judged: ${message}`],
  }));

async function controlsOf(
  scene: Scene,
  planted: PlantedScene | undefined,
  random: Random,
): Promise<Control> {
  const { problems } = await tryRound(scene, random, true);
  const fault = 'every fifth animal is removed from the file';
  const removed = controlOf(fault, problems, /^pets\/\d+ is missing, acknowledged was /);
  if (planted === undefined) return removed;
  const second = await tryRound(planted.scene, random);
  const { finding } = controlOf(planted.fault, second.problems, planted.names);
  return controlOfAll(`${fault}, and ${planted.fault}`, [removed.finding, finding]);
}

/** A trial of rounds with one scene. */
export const trialOfScene = (
  { promise, method, unit, rounds, tools = [], asRoot = false, control }: Described,
  scene: Scene,
): Trial => ({
  ...{ promise, method, unit, tools, asRoot },
  isRandomSample: true,
  limitMinutes: 30,
  async run({ random, report }): Promise<Outcome> {
    const failures: string[] = [];
    let [acknowledged, pauseMs] = [0, 0];
    for (let round = 1; round <= rounds; round += 1) {
      const outcome = await tryRound(scene, random);
      acknowledged += outcome.acknowledged;
      pauseMs = Math.max(pauseMs, outcome.pauseMs);
      failures.push(...outcome.problems.map((problem) => `round ${round}: ${problem}`));
      if (round % 10 === 0) report(`${round} rounds, ${failures.length} failures`);
    }
    const figures = {
      'acknowledged changes': acknowledged,
      ...(pauseMs > 0 && {
        'longest time without an acknowledged change': `${Math.round(pauseMs)} ms`,
      }),
    };
    return {
      ...{ trials: rounds, failures, figures },
      control: await controlsOf(scene, control, random),
    };
  },
});
