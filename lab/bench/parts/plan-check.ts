import { serve } from '../ours.ts';
import { oursOnPostgresAs } from '../ours-on-postgres.ts';
import type { PostgresServer } from '../postgres.ts';
import { processorTime } from '../processor-time.ts';
import type { WorkloadResult } from '../results.ts';
import type { Timing } from '../rounds.ts';
import type { RowsFile } from '../rows.ts';
import { type Run, type RunningServer, startServer } from '../server.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { microseconds, renderMarkdown } from '../table.ts';
import { runMix } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';

/** For each instance. With more of them, more requests share a query or a commit. */
const CONNECTIONS = [64, 16];

/** The mix of the check, by the titles of the measured operations. Creations count as alone: the most expensive case. */
const SHARES: Readonly<Record<string, number>> = {
  'Hot list, 20 animals': 0.9,
  'One animal': 0.08,
  'Create, alone': 0.02,
};

/** Processor time per request in µs: of the instances, and of their PostgreSQL. */
interface Costs<Figure> {
  readonly instances: Figure;
  readonly database: Figure;
}

export interface PlanCheck {
  readonly shares: typeof SHARES;
  readonly planned: Costs<number>;
  readonly measured: readonly (Costs<Spread> & { readonly connections: number })[];
}

interface Site {
  readonly workspace: Workspace;
  readonly postgres: PostgresServer;
  readonly rows: RowsFile;
  /** The first instance. The second one uses its database. */
  readonly first: RunningServer;
}

/**
 * Compares a plan with a run: what a mix should take by the times of its operations, and what it takes on two instances
 * with one PostgreSQL.
 */
export async function checkPlan(
  site: Site,
  operations: readonly WorkloadResult[],
  timing: Timing,
): Promise<PlanCheck> {
  const { workspace, postgres, first } = site;
  const second = await startSecond(site);
  const instances = [first, second];
  const measured: PlanCheck['measured'][number][] = [];
  for (const connections of CONNECTIONS) {
    const taken: Costs<number>[] = [];
    for (let round = 0; round <= timing.rounds; round += 1) {
      const isWarmUp = round === 0;
      const seconds = isWarmUp ? timing.warmUpSeconds : timing.seconds;
      const costs = await measureBoth(
        { workspace, seconds, number: round },
        instances,
        postgres,
        connections,
      );
      if (!isWarmUp) taken.push(costs);
    }
    measured.push({
      connections,
      instances: spreadOf(taken.map((costs) => costs.instances)),
      database: spreadOf(taken.map((costs) => costs.database)),
    });
  }
  await second.process.stop();
  return { shares: SHARES, planned: plan(operations), measured };
}

/** Sends the mix to all instances at the same time. */
async function measureBoth(
  run: Omit<Run, 'server'>,
  instances: readonly RunningServer[],
  postgres: PostgresServer,
  connections: number,
): Promise<Costs<number>> {
  const read = () => [
    instances.reduce((sum, { process }) => sum + processorTime(process.pid), 0),
    processorTime(postgres.process.pid),
  ];
  const [before = 0, databaseBefore = 0] = read();
  const measured = await Promise.all(
    instances.map((server, index) => {
      const number = instances.length * run.number + index;
      return runMix({ ...run, number }, server, server.paths.create, connections);
    }),
  );
  const [after = 0, databaseAfter = 0] = read();
  const requests = measured.reduce((sum, one) => sum + one.requests, 0);
  return {
    instances: (after - before) / requests,
    database: (databaseAfter - databaseBefore) / requests,
  };
}

function startSecond({ workspace, postgres, rows, first }: Site): Promise<RunningServer> {
  const { entry, key } = first;
  const second = {
    ...oursOnPostgresAs('second', 'The second instance'),
    prepare: async ({ port }: { readonly port: number }) => serve(postgres.urlOf(entry.name), port),
  };
  return startServer(workspace, second, { rows, key });
}

/** The sum of what the operations of the mix take on PostgreSQL, by their shares. */
function plan(operations: readonly WorkloadResult[]): Costs<number> {
  const of = (figure: 'processorMicroseconds' | 'databaseMicroseconds'): number =>
    Object.entries(SHARES).reduce((sum, [title, share]) => {
      const servers = operations.find((operation) => operation.title === title)?.servers;
      const onPostgres = servers?.find(({ databaseMicroseconds }) => databaseMicroseconds);
      return sum + share * (onPostgres?.[figure]?.median ?? Number.NaN);
    }, 0);
  return { instances: of('processorMicroseconds'), database: of('databaseMicroseconds') };
}

export function renderPlanCheck({ shares, planned, measured }: PlanCheck): string {
  const mix = Object.entries(shares).map(([title, share]) => `${share * 100} % ${title}`);
  const table = renderMarkdown([
    ['CPU µs per request of the mix', 'Two instances', 'PostgreSQL'],
    ['Planned', microseconds(planned.instances), microseconds(planned.database)],
    ...measured.map(({ connections, instances, database }) => [
      `Measured, ${connections} connections to each`,
      microseconds(instances.median),
      microseconds(database.median),
    ]),
  ]);
  return `${table}\n\nThe mix: ${mix.join(', ')}.`;
}
