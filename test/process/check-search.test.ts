import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import {
  inWorkplace,
  startService,
  TEST_LIMIT_MS,
  until,
  withService,
} from '../support/process.ts';
import { addAnimals, maintain, maintained, withFile } from './maintained.ts';

test(
  'check --repair-search builds a wrong index of names anew beside a service, which indexes all animals again',
  inWorkplace(async ({ database }) => {
    await addAnimals(database, 2_000);
    const key = await createKey(database);
    await withService(await startService(database), async ({ origin }) => {
      const found = async (name: string) => {
        const response = await fetch(`${origin}/v1/pets?limit=9&name=${name}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return ((await response.json()) as object[]).length;
      };
      const unindexed = () =>
        withFile(database, (connection) =>
          connection.query('SELECT count(*) FROM unindexed_pets').values(),
        );
      const isIndexed = () => until(() => Number(unindexed()[0]?.[0]) === 0);
      await isIndexed();
      withFile(database, (connection) =>
        connection.run("UPDATE pet_names SET folded_name = 'wrong' WHERE rowid IN (1234, 1999)"),
      );
      const wrong = 'the index of names has another name for 2 animals (the first is 1234)';
      expect(await found('animal%201234')).toBe(0);
      expect(await maintain(database, 'check')).toEqual({
        status: 1,
        stdout: `${wrong}\n`,
        stderr:
          'animal-store: 1 fault was found. `animal-store check --repair-search` repairs it.\n',
      });
      expect(await maintain(database, 'check', '--repair-search')).toEqual({
        status: 0,
        stdout: 'No faults were found.\n',
        stderr: `animal-store: repaired: ${wrong}\n`,
      });
      expect(await found('animal%201234')).toBe(1);
      await isIndexed();
      expect(await found('animal%201234')).toBe(1);
      expect(await maintained(database, 'check')).toBe('No faults were found.\n');
    });
  }),
  TEST_LIMIT_MS,
);
