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

/** The engines that the behaviour suite runs on: all of them. TEST_ENGINE=sqlite leaves out PostgreSQL. */
export const ENGINES: readonly Engine[] =
  process.env['TEST_ENGINE'] === 'sqlite' ? [chosenEngine()] : Object.values(BY_NAME);

/** The engine of the services that tests start: the one that TEST_ENGINE names, SQLite by default. */
export function chosenEngine(name = process.env['TEST_ENGINE'] ?? 'sqlite'): Engine {
  const engine = BY_NAME[name];
  if (engine !== undefined) return engine;
  const allowed = Object.keys(BY_NAME).join(' or ');
  throw new Error(`TEST_ENGINE must be ${allowed}, not ${JSON.stringify(name)}.`);
}

/** The number of random sequences of a test: fewer on PostgreSQL, which takes many times as long. MODEL_SEQUENCES=20000 makes a long run. */
export const sequencesFor = (onSqlite: number, onPostgres: number): number =>
  Number(
    process.env['MODEL_SEQUENCES'] ?? (chosenEngine().name === 'SQLite' ? onSqlite : onPostgres),
  );
