import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { bearer, inWorkplace, startService, withService } from '../support/process.ts';
import { addAnimals, maintain, maintained, withFile } from './maintained.ts';

test(
  'check --repair mends names and counts that another program left wrong, beside a service that finds the names at once',
  inWorkplace(async ({ database }) => {
    await addAnimals(database, 2_000);
    const key = await createKey(database);
    await withService(await startService(database), async ({ origin }) => {
      const found = async () => {
        const response = await fetch(`${origin}/v1/pets?name=mischa`, bearer(key));
        return ((await response.json()) as { id: number }[]).map(({ id }) => id);
      };
      withFile(database, (connection) => {
        connection.run("UPDATE pets SET name = 'Mischa' WHERE id IN (1234, 1999)");
        connection.run('UPDATE category_counts SET sold = 5 WHERE category_id = 1');
      });
      const faults = [
        'category_counts has 5 animals of category 1 with the status sold, but there are 0',
        'the folded texts of 2 rows of pets are wrong (the first id is 1234)',
      ];
      expect(await found()).toEqual([]);
      expect(await maintain(database, 'check')).toEqual({
        status: 1,
        stdout: faults.map((fault) => `${fault}\n`).join(''),
        stderr: 'animal-store: 2 faults were found. `animal-store check --repair` repairs them.\n',
      });
      expect(await maintain(database, 'check', '--repair')).toEqual({
        status: 0,
        stdout: 'No faults were found.\n',
        stderr: faults.map((fault) => `animal-store: repaired: ${fault}\n`).join(''),
      });
      expect(await found()).toEqual([1234, 1999]);
      expect(await maintained(database, 'check')).toBe('No faults were found.\n');
    });
  }),
);
