import { describe, expect, test } from 'bun:test';
import { COUNTED } from '../../../src/storage/category-counts.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { inBulk } from '../../../src/storage/sqlite/transfer/bulk-insert.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending, EVERY } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { planOf } from './query-plan.ts';
import { column, openScratch } from './scratch.ts';

const scratch = useEach(openScratch);

/** An import drops and creates the triggers for additions, and the indexes if most animals are new. */
describe('an import', () => {
  const database = useEach(() => openSqlite(scratch.path));

  const STATUSES = ['available', 'pending', 'sold', undefined] as const;
  const animals = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const status = STATUSES[index % 4];
      return rex({ name: `animal ${index}`, categoryId: index % 3, ...(status && { status }) });
    });
  const schema = () => column(scratch.reading(), 'SELECT sql FROM sqlite_schema ORDER BY name');
  const counts = () =>
    scratch.reading().query('SELECT * FROM category_counts ORDER BY category_id').all();

  test.each([
    [9, 8],
    [9, 9],
  ])('of %d animals into a catalogue of %d leaves the schema as it was', async (added, stored) => {
    await Promise.all(animals(stored).map((animal) => database.addPet(BY_TEST, animal)));
    const before = schema();
    const petImport = await database.transfer.beginImport(() => BY_TEST);
    petImport.add(animals(added));
    expect(await petImport.commit()).toBe(added);
    expect(schema()).toEqual(before);
    expect(column(scratch.reading(), 'PRAGMA integrity_check')).toEqual(['ok']);
    const byCategory = `SELECT category_id, ${COUNTED} FROM pets GROUP BY category_id`;
    expect(counts()).toEqual(scratch.reading().query(byCategory).all());
    const filters = { status: 'sold' as const };
    const listed = await database.read.pets.list(ascending(filters), undefined, 100);
    expect(listed).toHaveLength((await database.read.pets.inventory()).sold);
  });

  test('leaves the indexes of other programs as they were, whatever their names', async () => {
    for (const name of ['my idx', 'say "hi"', 'select'])
      scratch.foreign().run(`CREATE INDEX "${name.replaceAll('"', '""')}" ON pets (name)`);
    const before = schema();
    const petImport = await database.transfer.beginImport(() => BY_TEST);
    petImport.add(animals(9));
    expect(await petImport.commit()).toBe(9);
    expect(schema()).toEqual(before);
  });

  test('is invisible to other connections until it commits: they use the old indexes, then the new ones', async () => {
    await database.addPet(BY_TEST, rex({ status: 'sold' }));
    const listed = async () =>
      (await database.read.pets.list(ascending({ status: 'sold' }), undefined, 9)).length;
    const counted = async () => (await database.read.pets.inventory()).sold;
    const before = schema();
    const seenByOthers: unknown[] = [];
    const connection = scratch.writing();
    connection.run('BEGIN IMMEDIATE');
    inBulk(connection, 2, () => {
      connection.run(
        "INSERT INTO pets (name, category_id, status) VALUES ('a', 1, 'sold'), ('b', 1, 'sold')",
      );
      seenByOthers.push(schema(), listed(), counted());
    });
    connection.run('COMMIT');
    expect(await Promise.all(seenByOthers)).toEqual([before, 1, 1]);
    expect([schema(), await listed(), await counted()]).toEqual([before, 3, 3]);
  });

  test.each([
    ['most', 1, 'SCAN pets USING COVERING INDEX pets_by_category_and_status'],
    ['few', 0, 'SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)'],
  ])(
    'of %s of the animals counts their categories without a read of all others',
    (_which, added, plan) => {
      const connection = scratch.writing();
      const plans: string[] = [];
      const recording = new Proxy(connection, {
        get(target, name) {
          if (name !== 'run') return Reflect.get(target, name).bind(target);
          return (sql: string, parameters: number[] = []) => {
            if (sql.startsWith('INSERT INTO category_counts')) plans.push(...planOf(target, sql));
            return target.run(sql, parameters);
          };
        },
      });
      connection.run('BEGIN IMMEDIATE');
      inBulk(recording, added, () => {});
      connection.run('ROLLBACK');
      expect(plans[0]).toBe(plan);
    },
  );

  test('that fails leaves the indexes and the inventory as they were', async () => {
    await database.addPet(BY_TEST, rex());
    const state = () => ({ schema: schema(), counts: counts() });
    const before = state();
    const petImport = await database.transfer.beginImport(() => BY_TEST);
    petImport.add([...animals(5), { ...rex(), name: '' }]);
    await expect(petImport.commit()).rejects.toThrow();
    expect(state()).toEqual(before);
    expect(await database.read.pets.list(EVERY, undefined, 100)).toHaveLength(1);
  });
});
