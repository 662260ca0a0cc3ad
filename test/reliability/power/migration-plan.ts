import { mkdirSync } from 'node:fs';
import { openForWriting } from '../../../src/storage/sqlite/connections/connection.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/schema/migrations.ts';
import { lineOf } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import { checkFaults, type Plan, programFaults, type Recorder, refusalOf } from './plan.ts';
import { NAME } from './prepared.ts';
import { recordCommand } from './record.ts';
import type { Judge } from './states.ts';

const ANIMALS = 600;

/** The last schema without orders. */
const FIRST = 1;

/** The first schema that knows when an order ended. */
const WITH_ENDS = 7;

const FILL = `
  WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${ANIMALS})
  INSERT INTO pets (name, category_id, status)
  SELECT 'animal ' || number, number % 7,
    CASE number % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'sold' ELSE 'available' END
  FROM numbers;
  INSERT INTO api_keys (name, hash, hint, scopes, created_at)
  VALUES ('one', zeroblob(32), 'ask_live_…AAAA', 'pets:read keys:admin', 1);`;

const FILL_ORDERS = `
  INSERT INTO categories VALUES (1, 'dogs'), (2, 'cats');
  INSERT INTO orders (pet_id, status, created_at, expires_at)
  SELECT id,
    CASE WHEN status = 'sold' THEN 'delivered' WHEN id % 2 = 0 THEN 'placed' ELSE 'approved' END,
    1800000000000, CASE WHEN status = 'pending' AND id % 2 = 0 THEN 4000000000000 END
  FROM pets WHERE status <> 'available';`;

const FILL_ENDS = "UPDATE orders SET ended_at = 1800000000001 WHERE status = 'delivered';";

/** The rows of a file with an older schema. */
const fill = (version: number): string =>
  [
    FILL,
    ...(version > FIRST ? [FILL_ORDERS] : []),
    ...(version >= WITH_ENDS ? [FILL_ENDS] : []),
  ].join('');

/** Records the migration of a file with an older schema. */
const migrationFrom =
  (version: number): Recorder =>
  async (folder) => {
    const database = `${folder.root}/${NAME}`;
    mkdirSync(`${folder.root}/data`);
    const connection = openForWriting(database);
    migrate(connection, database, MIGRATIONS.slice(0, version));
    connection.run(fill(version));
    connection.close(true);
    const { disk, sent } = await recordCommand(folder, ['migrate', '--database', database]);
    const { fingerprint } = readCatalogue(database);
    const acknowledged = lineOf(sent, 'Migrated');
    const judge: Judge = async (state, isSample) => {
      const path = state.path(NAME);
      const damage = await checkFaults(path);
      if (damage.length > 0) return damage;
      const least = acknowledged < state.loss.moment ? MIGRATIONS.length : version;
      const found = [...(await schemaFaults(path, least))];
      const refusal = await refusalOf(path);
      if (refusal !== undefined) return [...found, `refused: ${refusal}`];
      const after = readCatalogue(path);
      found.push(...after.faults);
      if (after.fingerprint !== fingerprint) found.push('the rows differ from those before');
      return isSample ? [...found, ...(await programFaults(state, NAME))] : found;
    };
    return { disk, judge, figures: {} };
  };

async function schemaFaults(path: string, least: number): Promise<string[]> {
  const { stored = 0 } = await maintainSqlite(path).schema();
  return stored < least ? [`the schema is ${stored}, not ${least}`] : [];
}

export const MIGRATION_PLAN: Plan = {
  promise: 'After a power failure in a migration, the next one completes it, and no row is lost.',
  method: `\`animal-store migrate\` migrates files with the schemas 1, 6 and 8, and ${ANIMALS} animals, with orders in those that have them. Before the next migration, \`check\` must find nothing in the file, of whatever version it is; after it, the rows must be complete.`,
  limitMinutes: 30,
  recordings: [migrationFrom(FIRST), migrationFrom(6), migrationFrom(8)],
  states: 1_200,
  lies: (path) => path.includes(NAME),
  fault: 'the syncs of the database file and its -wal do nothing',
  names: /: (?:check: |the schema is |the rows differ)/,
};
