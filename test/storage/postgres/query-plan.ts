import type { Sql } from 'postgres';
import type { MaybePromise } from '../../../src/maybe-promise.ts';
import type { Value } from '../../../src/storage/postgres/connections/connection.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';

const EXPLAIN = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)';

type Work = (run: Run) => MaybePromise<unknown>;

/** The query plans of the statements of `work`, with the number of buffers read. */
export const planOf = (sql: Sql, work: Work): Promise<string> =>
  plansOf(work, (text, values) => sql.unsafe(`${EXPLAIN} ${text}`, values as never[]));

/** The same as the server plans a statement that was prepared long ago: without the values of its parameters. */
export const genericPlanOf = (sql: Sql, work: Work): Promise<string> =>
  plansOf(work, (text, values) =>
    sql.begin(async (transaction) => {
      await transaction.unsafe('SET LOCAL plan_cache_mode = force_generic_plan');
      await transaction.unsafe(`PREPARE work AS ${text}`);
      const parameters = values.length > 0 ? `(${values.map(toLiteral).join()})` : '';
      const plan = await transaction.unsafe(`${EXPLAIN} EXECUTE work${parameters}`);
      await transaction.unsafe('DEALLOCATE work');
      return plan;
    }),
  );

const toLiteral = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

async function plansOf(
  work: Work,
  explain: (text: string, values: readonly Value[]) => Promise<readonly object[]>,
): Promise<string> {
  const lines: string[] = [];
  const run: Run = async (text: string, values: readonly Value[] = []) => {
    const rows = await explain(text, values);
    lines.push(...rows.map((row) => String(Object.values(row)[0])));
    return [] as never;
  };
  await work(run);
  return lines.join('\n');
}

/** The buffers of the whole plan, which are in the first such line. */
export const buffersOf = (plan: string): number => {
  const [, buffers = ''] = /Buffers: shared(.*)/.exec(plan) ?? [];
  return [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};
