import type { Database } from '../../src/storage/database.ts';
import { startService, type TestServiceOptions } from '../support/service.ts';

/** A service whose storage counts how often lists of animals, and counts of categories, are read. */
export async function startCounting(options: TestServiceOptions = {}) {
  const reads = { lists: 0, inventories: 0 };
  const wrap = (database: Database): Database => ({
    ...database,
    read: {
      ...database.read,
      pets: new Proxy(database.read.pets, {
        get(pets, name) {
          const member = Reflect.get(pets, name);
          if (name === 'list') reads.lists += 1;
          if (name === 'inventoriesOf') reads.inventories += 1;
          return typeof member === 'function' ? member.bind(pets) : member;
        },
      }),
    },
  });
  return { service: await startService({ ...options, wrap }), reads };
}
