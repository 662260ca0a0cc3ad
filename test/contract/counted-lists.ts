import { afterEach } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts';

/** Starts services whose storage counts how often lists of animals, and counts of categories, are read. They close after the test. */
export function useCounting() {
  const open: TestService[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  return async (options: TestServiceOptions = {}) => {
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
    const service = await startService({ ...options, wrap });
    open.push(service);
    return { service, reads };
  };
}
