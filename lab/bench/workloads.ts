import type { Run, RunningServer, Sample, Workload } from './server.ts';
import { withProcessorTime } from './server-time.ts';
import type { WorkloadName } from './workload-names.ts';
import { type Measured, runWrk } from './wrk.ts';

const CONNECTIONS = 32;

export const coldList =
  (path: 'coldList' | 'coldList100', connections = CONNECTIONS): Workload['measure'] =>
  ({ server, ...run }) => {
    const { paths, files } = server;
    const args = [paths[path], files.pages, `${run.number}`];
    return load(run, server, 'varied', '/', args, connections);
  };

/** Some per cent of creations; lists and single animals in turn for the rest. */
export const shareOfCreations =
  (percent: number): Workload['measure'] =>
  ({ server, ...run }) => {
    const { paths, files } = server;
    const reads = [paths.coldList, files.pages, paths.oneAnimal, files.ids];
    return load(run, server, 'shares', '/', [
      ...reads,
      paths.create,
      `${percent}`,
      `${run.number}`,
    ]);
  };

const oneAnimal: Workload['measure'] = ({ server, ...run }) => {
  const { paths, files } = server;
  return load(run, server, 'varied', '/', [paths.oneAnimal, files.ids, `${run.number}`]);
};

/** The workloads by name. Those with the prefix pg- are for servers on PostgreSQL. */
export const WORKLOADS = {
  'hot-list': {
    title: 'Hot list: the first 20 available animals, again and again',
    measure: ({ server, ...run }) => load(run, server, 'same', server.paths.hotList, []),
  },
  'hot-list-100': {
    title: 'Hot list, 100 animals',
    measure: ({ server, ...run }) => load(run, server, 'same', server.paths.hotList100, []),
  },
  'cold-list': {
    title: 'Cold list: 20 available animals from a random place',
    measure: coldList('coldList'),
  },
  'cold-list-100': {
    title: 'Cold list, 100 animals',
    measure: coldList('coldList100'),
  },
  'one-animal': { title: 'One animal: a random id', measure: oneAnimal },
  'create-32': { title: 'Create, 32 connections', measure: (run) => create(run, 32) },
  'create-128': { title: 'Create, 128 connections', measure: (run) => create(run, 128) },
  mixed: { title: 'Mixed: 90 % hot list, 8 % one animal, 2 % create', measure: mixed },
  'pg-list': {
    title: 'PostgreSQL: 20 available animals from a random place',
    measure: coldList('coldList'),
  },
  'pg-one-animal': { title: 'PostgreSQL: one animal, a random id', measure: oneAnimal },
  'pg-create': { title: 'PostgreSQL: create, 32 connections', measure: (run) => create(run, 32) },
} as const satisfies Record<WorkloadName, Workload>;

type Timing = Omit<Run, 'server'>;

export const load = (
  run: Timing,
  server: RunningServer,
  script: string,
  path: string,
  args: readonly string[],
  connections = CONNECTIONS,
): Promise<Sample> =>
  withProcessorTime(server, () => runLoad(run, server, script, path, args, connections));

const runLoad = (
  { workspace, seconds }: Timing,
  { origin, key }: RunningServer,
  script: string,
  path: string,
  args: readonly string[],
  connections = CONNECTIONS,
): Promise<Measured> =>
  runWrk(workspace, { script, args, url: origin + path, key, connections, seconds });

export const create = ({ server, ...run }: Run, connections: number): Promise<Sample> =>
  load(run, server, 'create', '/', [server.paths.create, `${run.number}`], connections);

/** Runs with and without the creations. One more connection only reads, and measures the reads. */
async function mixed({ server, ...run }: Run): Promise<Sample> {
  const withWrites = await mix(run, server, server.paths.create);
  const withoutWrites = await mix(run, server, NO_WRITES);
  return {
    ...withWrites.sample,
    readsP99Ms: withWrites.readsP99Ms,
    readsP99WithoutWritesMs: withoutWrites.readsP99Ms,
  };
}

const NO_WRITES = '-';

/** Sends 90 % hot lists, 8 % single animals and 2 % creations. */
export function runMix(
  run: Timing,
  server: RunningServer,
  createPath: string,
  connections = CONNECTIONS,
): Promise<Measured> {
  const { hotList, oneAnimal } = server.paths;
  const args = [hotList, oneAnimal, server.files.ids, createPath, `${run.number}`];
  return runLoad(run, server, 'mixed', '/', args, connections);
}

/** wrk reports one latency for all requests, so a single reader beside it represents all readers. */
async function mix(run: Timing, server: RunningServer, createPath: string) {
  let readsP99Ms = Number.NaN;
  const sample = await withProcessorTime(server, async () => {
    const [all, reads] = await Promise.all([
      runMix(run, server, createPath),
      runMix(run, server, NO_WRITES, 1),
    ]);
    readsP99Ms = reads.p99Ms;
    return { ...all, requests: all.requests + reads.requests };
  });
  return { sample, readsP99Ms };
}
