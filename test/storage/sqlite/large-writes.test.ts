import { expect, test } from 'bun:test';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { column, openScratch, pragma } from './scratch.ts';

test('a write of many rows shares a transaction with the small ones beside it, and not with another of many rows', async () => {
  const scratch = openScratch();
  const writer = new Writer(scratch.writing());
  const watcher = scratch.reading();
  writer.connection.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const write = (text: string, rows?: number) =>
    writer.write(
      () => {
        writer.connection.query('INSERT INTO notes (text) VALUES (?)').run(text);
        // data_version changes on each commit, so it is equal within a transaction.
        return pragma(watcher, 'data_version');
      },
      rows === undefined ? {} : { rows },
    );
  const small = (count: number) => Array.from({ length: count }, () => write('small'));
  const transactions = await Promise.all([
    ...[...small(3), write('first', 1_000), ...small(498)],
    ...[write('second', 1_000), ...small(2), write('huge', 5_000), write('third', 1_000)],
  ]);
  const sizes = [...Map.groupBy(transactions, (version) => version).values()];
  expect(sizes.map(({ length }) => length)).toEqual([501, 4, 1, 1]);
  const order = column(watcher, 'SELECT text FROM notes ORDER BY id');
  expect(order.filter((text) => text !== 'small')).toEqual(['first', 'second', 'huge', 'third']);
  await writer.drain();
  scratch.remove();
});
