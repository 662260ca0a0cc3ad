import type { Database as Sqlite } from 'bun:sqlite';

/** All combinations of some of the values, at least one. */
export function combinationsOf(values: object): object[] {
  const found: object[] = [{}];
  for (const [name, value] of Object.entries(values))
    found.push(...found.map((others) => ({ ...others, [name]: value })));
  return found.slice(1);
}

/** A parameter whose value the planner uses, so that the statement is prepared again for each value. */
export const VISIBLE_PARAMETER = /(?<!\(SELECT )\?/;

/** The last statement prepared by a new store that reads a list. */
export const lastPrepared = (connection: Sqlite, list: (on: Sqlite) => unknown): string =>
  prepared(connection, list).at(-1) ?? '';

/** The statements that `work` prepares. */
export function prepared(connection: Sqlite, work: (on: Sqlite) => unknown): string[] {
  const statements: string[] = [];
  const recording = new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare' && name !== 'query') return Reflect.get(target, name);
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  work(recording);
  return statements;
}

/** The query plan, without the subqueries for parameters. */
export function planOf(connection: Sqlite, sql: string): string[] {
  const steps = connection.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => !/^(?:S(?:CALAR|CAN CONSTANT)|REUSE SUBQUERY)/.test(detail));
}
