/** The database knows when `backup` last succeeded. */
import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { createKey } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import { bearer, startService, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintain, maintained, withFile } from './maintained.ts';

const place = useEach(workplace);

const METRIC = 'animal_store_last_backup_timestamp_seconds';

const recordedIn = async (path: string): Promise<string | null> =>
  JSON.parse(await maintained(path, 'status', '--json')).lastBackupAt;

/** Backs up, and resolves with the messages. */
async function backUp({ database, file }: Workplace, name: string): Promise<string> {
  const { status, stderr } = await maintain(database, 'backup', file(name));
  expect(status).toBe(0);
  return stderr;
}

test('a backup while the service runs is in its metrics and in status, and it changes nothing else', async () => {
  const { database, file } = place;
  await using service = await startService(database, ['--metrics-port', '0']);
  expect((await scrape(service)).sum(METRIC)).toBe(0);
  expect(await recordedIn(database)).toBeNull();
  const before = Date.now();
  await backUp(place, 'a.db');
  const at = (await scrape(service)).sum(METRIC) ?? 0;
  expect(at * 1_000).toBeGreaterThanOrEqual(before);
  expect(at * 1_000).toBeLessThanOrEqual(Date.now());
  expect(await recordedIn(database)).toBe(new Date(at * 1_000).toISOString());
  expect(await recordedIn(file('a.db'))).toBeNull();
  const { origin, firstKey = '' } = service;
  expect(await (await fetch(`${origin}/v1/events`, bearer(firstKey))).json()).toHaveLength(1);
});

test('the next backup has the time of the one before, and a failed one changes nothing', async () => {
  const { database, file } = place;
  await createKey(database);
  await backUp(place, 'a.db');
  const first = await recordedIn(database);
  expect(first).not.toBeNull();
  expect((await maintain(database, 'backup', file('a.db'))).status).toBe(1);
  expect(await recordedIn(database)).toBe(first);
  await backUp(place, 'b.db');
  expect(await recordedIn(file('b.db'))).toBe(first);
});

test('a backup succeeds even if its time cannot be recorded, or a name is not folded, and says so', async () => {
  const { database, file } = place;
  await createKey(database);
  withFile(database, (connection) =>
    connection.run(
      "CREATE TRIGGER refuse BEFORE UPDATE ON last_backup BEGIN SELECT RAISE(ABORT, 'refused'); END; INSERT INTO pets (name, category_id) VALUES ('Rex', 1)",
    ),
  );
  const messages = await backUp(place, 'a.db');
  expect(messages).toContain(
    `animal-store: The time of the backup cannot be recorded in ${database}: `,
  );
  expect(messages).toContain('run `animal-store check --repair` after a restore');
  const copy = openSqlite(file('a.db'));
  expect(await copy.read.apiKeys.list(undefined, 10)).toHaveLength(1);
  await copy.close();
});
