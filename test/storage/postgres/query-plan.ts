import type { Sql } from 'postgres';
import type { MaybePromise } from '../../../src/maybe-promise.ts';
import type { Value } from '../../../src/storage/postgres/connections/connection.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';

type Work = (run: Run) => MaybePromise<unknown>;

/**
 * The query plans of the statements of `work`, with the number of buffers read: as the server plans a statement with the values
 * of its parameters, and as it plans one that was prepared long ago, without them.
 */
export async function plansOf(sql: Sql, work: Work): Promise<[custom: string, generic: string]> {
  const [custom, generic]: [string[], string[]] = [[], []];
  const run: Run = async (text: string, values: readonly Value[] = []) => {
    const parameters = values.length > 0 ? `(${values.map(toLiteral).join()})` : '';
    const execute = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE work${parameters}`;
    // Sent at once, they are one transaction. Only a plan has rows.
    const results: readonly object[][] = await sql.unsafe<
      object[][]
    >(`SET LOCAL plan_cache_mode = force_custom_plan;
      PREPARE work AS ${text}; ${execute}; SET LOCAL plan_cache_mode = force_generic_plan; ${execute}; DEALLOCATE work`);
    const [withValues, without] = results.filter(({ length }) => length > 0);
    if (!withValues || !without) throw new Error('There are no two plans.');
    custom.push(...linesOf(withValues));
    generic.push(...linesOf(without));
    return [] as never;
  };
  await work(run);
  return [custom.join('\n'), generic.join('\n')];
}

const linesOf = (rows: readonly object[]): string[] =>
  rows.map((row) => String(Object.values(row)[0]));

const toLiteral = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** The buffers of the whole plan, which are in the first such line. */
export const buffersOf = (plan: string): number => {
  const [, buffers = ''] = /Buffers: shared(.*)/.exec(plan) ?? [];
  return [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};
