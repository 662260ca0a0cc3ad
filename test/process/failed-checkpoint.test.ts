/** The database file cannot be written: the changes stay in the -wal, and the log says so. */
import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import {
  commandOf,
  eventNames,
  parseLog,
  post,
  startCommand,
  startService,
  until,
  workplace,
} from '../support/process.ts';
import { namesIn, withFile } from './maintained.ts';

/** More than the -wal gets, so that the limit does not stop it. */
const BALLAST_BYTES = 16 * 2 ** 20;

const PETS = Array.from({ length: 1_000 }, (_, index) => ({ name: `Rex ${index}`, categoryId: 1 }));

const MESSAGE = 'The -wal cannot be moved into the database file: disk I/O error.';

test('a checkpoint that fails is in the log, loses nothing, and is repeated until it works', async () => {
  using place = workplace();
  const { database } = place;
  const key = await createKey(database);
  // A file that is larger than its -wal. The service leaves a table of others alone.
  withFile(database, (file) =>
    file.run('CREATE TABLE ballast AS SELECT zeroblob(?) AS bytes', [BALLAST_BYTES]),
  );
  // In blocks of 512 bytes. The file cannot grow beyond.
  const limit = Math.ceil(statSync(database).size / 512);
  await using service = await startCommand(
    [
      ...['sh', '-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`, 'sh'],
      ...commandOf('serve', '--database', database, '--port', '0', '--log-level', 'warn'),
    ],
    { showsKey: false },
  );
  let added = 0;
  await until(async () => {
    expect((await post(service.origin, key, '/pet-batches', { pets: PETS })).status).toBe(201);
    added += PETS.length;
    return service.stdout() !== '';
  });
  expect((await service.stop()).status).toBe(0);
  const [line] = parseLog(service.stdout());
  expect(line).toMatchObject({
    'event.name': 'checkpoint_failed',
    'error.type': 'unavailable',
    'exception.message': MESSAGE,
  });
  // The failure at the stop has the same cause.
  expect(eventNames(service.stdout())).toEqual(['checkpoint_failed', 'lines_left_out']);
  expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
  const { stop, stdout } = await startService(database, ['--log-level', 'warn']);
  await stop();
  expect(stdout()).toBe('');
  expect(namesIn(database).size).toBe(added);
});
