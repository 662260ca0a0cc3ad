import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { withoutPassword } from '../storage/database-url.ts';
import type { CatalogueContents, DatabaseStatus } from '../storage/maintenance.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { MAINTENANCE_SETTINGS } from './database.ts';
import type { Io } from './io.ts';
import { maintenanceOf } from './maintenance.ts';
import { formatBytes, formatTime, table, toIsoOrNull } from './output.ts';
import { describeCommit, findCommit, VERSION } from './versions.ts';

export function statusCommand(io: Io): Command {
  const command = new Command('status')
    .description('show versions, numbers of rows and sizes, even while the service runs')
    .option(...JSON_FLAG);
  return withSettings(io, command, MAINTENANCE_SETTINGS, async ({ json }: JsonFlag, config) => {
    const status = await maintenanceOf(config).status(systemClock.now());
    const database = withoutPassword(config.database);
    if (json) return io.json(toJson(status, database));
    return io.result(table(['', ''], toRows(status, database)).slice(1));
  });
}

const RUNTIME = `Bun ${Bun.version}`;

function toJson({ schema, contents, lastBackupAt, ...status }: DatabaseStatus, database: string) {
  return {
    version: VERSION,
    commit: findCommit(),
    runtime: RUNTIME,
    database,
    ...status,
    schemaVersion: schema.stored ?? null,
    currentSchemaVersion: schema.current,
    ...(lastBackupAt !== undefined && { lastBackupAt: toIsoOrNull(lastBackupAt) }),
    contents: contents && {
      ...contents,
      firstOrderAt: toIsoOrNull(contents.firstOrderAt),
      lastOrderAt: toIsoOrNull(contents.lastOrderAt),
      lastCallAt: toIsoOrNull(contents.lastCallAt),
    },
  };
}

function toRows(status: DatabaseStatus, database: string): string[][] {
  const { engine, engineVersion, schema, contents, sizes, connections } = status;
  const { damageFound, freeBytes, lastBackupAt } = status;
  const { stored = 'none', current } = schema;
  return [
    ['Program', `animal-store ${VERSION} (${describeCommit()}) on ${RUNTIME}`],
    ['Database', database],
    ['Engine', `${engine} ${engineVersion}`],
    ['Schema', stored === current ? `${stored}` : `${stored}; this program needs ${current}`],
    ...(damageFound ? [['Damage', 'found before: run check']] : []),
    ...(contents ? contentRows(contents) : []),
    ...Object.entries(sizes).map(([name, bytes]) => [`Size of ${name}`, formatBytes(bytes)]),
    ...(freeBytes === undefined ? [] : [['Free in the file', formatBytes(freeBytes)]]),
    ...(lastBackupAt === undefined ? [] : [['Last backup', formatTime(lastBackupAt)]]),
    ...(connections ? [['Connections', `${connections.open} of at most ${connections.max}`]] : []),
  ];
}

function contentRows(contents: CatalogueContents): string[][] {
  const { pets, categories, orders, apiKeys, idempotencyRecords, events } = contents;
  return [
    ['Animals', countsOf(pets)],
    ['Categories', `${categories}`],
    ['Orders', countsOf(orders)],
    ['API keys', countsOf(apiKeys)],
    ['Idempotency records', `${idempotencyRecords}`],
    ['Events', `${events}`],
    ['First order', formatTime(contents.firstOrderAt)],
    ['Last order', formatTime(contents.lastOrderAt)],
    ['Last call', formatTime(contents.lastCallAt)],
  ];
}

/** Formats counts by name as their sum, and each that is not 0. */
function countsOf(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count !== 0);
  const sum = entries.reduce((total, [, count]) => total + count, 0);
  return sum === 0
    ? '0'
    : `${sum} (${entries.map(([name, count]) => `${name} ${count}`).join(', ')})`;
}
