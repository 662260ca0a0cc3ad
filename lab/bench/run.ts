/** The benchmark: `npm run bench -- --help` lists its flags. */
import { BadFlag, BenchFailed } from './failure.ts';
import { guard } from './guard.ts';
import { measureWorkloads } from './measure-workloads.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import { writePage } from './page.ts';
import { batch } from './parts/batch.ts';
import { capacity } from './parts/capacity.ts';
import { feed } from './parts/feed.ts';
import { growth } from './parts/growth.ts';
import { importing } from './parts/importing.ts';
import { jobs } from './parts/jobs.ts';
import { memory } from './parts/memory.ts';
import { search } from './parts/search.ts';
import { start } from './parts/start.ts';
import { webhooks } from './parts/webhooks.ts';
import { workers } from './parts/workers.ts';
import { SERVERS } from './servers.ts';
import { type Workspace, withWorkspace } from './workspace.ts';
import { requireWrk } from './wrk.ts';

const PARTS: Record<PartName, (workspace: Workspace, options: Options) => Promise<void>> = {
  growth,
  start,
  memory,
  import: importing,
  workers,
  capacity,
  search,
  jobs,
  batch,
  feed,
  webhooks,
};

// The servers are on this machine, which a proxy to the internet does not reach.
for (const name of ['no_proxy', 'NO_PROXY']) process.env[name] = '127.0.0.1';

async function run(options: Options): Promise<void> {
  if (options.page) return writePage();
  requireWrk();
  if (options.check) return guard(options);
  if (options.workloads.length > 0)
    await withWorkspace((workspace) => measureWorkloads(workspace, options));
  for (const part of options.parts) {
    await withWorkspace((workspace) => PARTS[part](workspace, options));
  }
}

try {
  const others = SERVERS.filter(({ kind }) => kind !== 'ours').map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), others);
  if (options !== undefined) await run(options);
} catch (error) {
  const isExpected = error instanceof BadFlag || error instanceof BenchFailed;
  console.error(isExpected ? `bench: ${error.message}` : error);
  process.exitCode = error instanceof BadFlag ? 2 : 1;
}
