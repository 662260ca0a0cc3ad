import { openPostgresStorage } from './postgres-storage.ts';
import { openSqliteStorage } from './sqlite-storage.ts';
import type { TestStorage } from './test-storage.ts';

export interface Engine {
  readonly name: string;
  open(): Promise<TestStorage>;
}

const BY_NAME: Readonly<Record<string, Engine>> = {
  sqlite: { name: 'SQLite', open: openSqliteStorage },
  postgres: { name: 'PostgreSQL', open: openPostgresStorage },
};

/** Every engine that the behaviour suite runs on: naming one here is all it takes. */
export const ENGINES: readonly Engine[] = Object.values(BY_NAME);

/** The engine under the services that tests start: that which TEST_ENGINE names, SQLite where it is not set. */
export function chosenEngine(name = process.env['TEST_ENGINE'] ?? 'sqlite'): Engine {
  const engine = BY_NAME[name];
  if (engine !== undefined) return engine;
  const known = Object.keys(BY_NAME).join(' or ');
  throw new Error(`TEST_ENGINE must be ${known}, and is ${JSON.stringify(name)}.`);
}
