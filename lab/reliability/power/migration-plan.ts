import { mkdirSync } from 'node:fs';
import { FIRST_VERSION } from '../../../src/storage/migrations.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { currentVersion } from '../../../src/storage/sqlite/schema/migrate.ts';
import { createFirstFile } from '../first-schema.ts';
import { lineOf } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import { checkFaults, type Plan, programFaults, type Recorder, refusalOf } from './plan.ts';
import { NAME } from './prepared.ts';
import { recordCommand } from './record.ts';
import type { Judge } from './states.ts';

/** Records the migration of a file with the first schema. */
const record: Recorder = async (folder) => {
  const database = `${folder.root}/${NAME}`;
  mkdirSync(`${folder.root}/data`);
  await createFirstFile(database);
  const { disk, sent } = await recordCommand(folder, ['migrate', '--database', database]);
  const { fingerprint } = readCatalogue(database);
  const acknowledged = lineOf(sent, 'Migrated');
  const judge: Judge = async (state, isSample) => {
    const path = state.path(NAME);
    const damage = await checkFaults(path);
    if (damage.length > 0) return damage;
    const least = acknowledged < state.loss.moment ? currentVersion() : FIRST_VERSION;
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
  method:
    '`animal-store migrate` migrates a file with the first schema and rows of every kind. Before the next migration, `check` must find nothing in the file, of whatever version it is; after it, the rows must be complete.',
  limitMinutes: 30,
  recordings: [record],
  states: 1_200,
  lies: (path) => path.includes(NAME),
  fault: 'the syncs of the database file and its -wal do nothing',
  names: /: (?:check: |the schema is |the rows differ)/,
};
