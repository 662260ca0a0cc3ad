/**
 * What the SDK promises, as scenarios that run on every platform against a real service behind a proxy with
 * faults. This module runs in browsers too: it imports nothing but types.
 */
import type * as Sdk from '../../sdk/src/index.ts';
import type { Fault, Seen } from './faulty-proxy.ts';

export interface Environment {
  /** The proxy in front of the service. */
  readonly origin: string;
  /** The proxy in front of a service with `EXTENSIONS=off`. */
  readonly originWithoutExtensions: string;
  readonly apiKey: string;
  readonly apiKeyWithoutExtensions: string;
}

/** What a scenario works with. */
export interface Context {
  readonly sdk: typeof Sdk;
  readonly environment: Environment;
  /** A client of the service behind the proxy. */
  readonly store: Sdk.AnimalStore;
  /** A client with other options. */
  storeWith<Mode extends Sdk.Int64Mode = 'auto'>(
    options: Partial<Sdk.AnimalStoreOptions<Mode>>,
  ): Sdk.AnimalStore<Mode>;
  /** Sets what happens to the next requests. */
  faults(...faults: readonly Fault[]): Promise<void>;
  /** The requests since the last call of `faults`. */
  seen(): Promise<Seen[]>;
  /** A client of a service with `EXTENSIONS=off`, and the control of the proxy in front of it. */
  withoutExtensions(): Context;
  /** A name that no other animal has. */
  uniqueName(): string;
  /** The number of animals with this name. */
  count(name: string): Promise<number>;
}

export type Scenario = (context: Context) => Promise<void>;

export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [a, b] = [actual, expected].map((value) => text(value));
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part)) ??
  'undefined';

/** The error that a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<Sdk.ApiError> {
  try {
    await promise;
  } catch (error) {
    return error as Sdk.ApiError;
  }
  throw new Error('The promise did not reject.');
}

function createContext(sdk: typeof Sdk, environment: Environment, hasExtensions: boolean): Context {
  const origin = hasExtensions ? environment.origin : environment.originWithoutExtensions;
  const apiKey = hasExtensions ? environment.apiKey : environment.apiKeyWithoutExtensions;
  const storeWith: Context['storeWith'] = (options) =>
    new sdk.AnimalStore({ baseUrl: `${origin}/v1`, apiKey, ...options });
  const store = storeWith({});
  return {
    sdk,
    environment,
    store,
    storeWith,
    async faults(...faults) {
      await fetch(`${origin}/faults`, { method: 'POST', body: JSON.stringify(faults) });
    },
    seen: async () => (await fetch(`${origin}/seen`)).json() as Promise<Seen[]>,
    withoutExtensions: () => createContext(sdk, environment, false),
    uniqueName: () => `animal ${Math.random()}`,
    async count(name) {
      let found = 0;
      for await (const pet of store.pets.list({ limit: 100 })) found += Number(pet.name === name);
      return found;
    },
  };
}

export interface Outcome {
  readonly title: string;
  /** Undefined if the scenario passed. */
  readonly error?: string;
}

/** Runs scenarios simultaneously, each with its own proxies. A rejection that nobody handles fails those that run. */
export const runScenarios = (
  sdk: typeof Sdk,
  environment: Environment,
  scenarios: Readonly<Record<string, Scenario>>,
): Promise<Outcome[]> =>
  Promise.all(
    Object.entries(scenarios).map(async ([title, run]) => {
      const unhandled = watchRejections();
      try {
        await run(createContext(sdk, await withOwnProxies(environment), true));
        await new Promise((resolve) => setTimeout(resolve, 0));
        equal(unhandled.stop().map(String), [], 'unhandled rejections');
        return { title };
      } catch (error) {
        unhandled.stop();
        return { title, error: String((error as Error).stack ?? error) };
      }
    }),
  );

async function withOwnProxies(environment: Environment): Promise<Environment> {
  const own = async (origin: string) =>
    (await fetch(`${origin}/proxies`, { method: 'POST' })).text();
  const origin = await own(environment.origin);
  const originWithoutExtensions = await own(environment.originWithoutExtensions);
  return { ...environment, origin, originWithoutExtensions };
}

function watchRejections(): { stop(): unknown[] } {
  const reasons: unknown[] = [];
  const { process } = globalThis as { process?: NodeJS.Process };
  const add = (reason: unknown) => void reasons.push(reason);
  const addEvent = (event: Event) => add((event as Event & { reason: unknown }).reason);
  if (process) process.on('unhandledRejection', add);
  else globalThis.addEventListener('unhandledrejection', addEvent);
  return {
    stop() {
      if (process) process.off('unhandledRejection', add);
      else globalThis.removeEventListener('unhandledrejection', addEvent);
      return reasons;
    },
  };
}
