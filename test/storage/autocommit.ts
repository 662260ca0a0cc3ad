import type { ApiKeyStore } from '../../src/api-keys/api-key-store.ts';
import type { Int64 } from '../../src/int64.ts';
import type { OperationUsage } from '../../src/observe/usage.ts';
import type { NewPet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';

type NewApiKey = Parameters<ApiKeyStore['create']>[0];

/** The readers of a database, and its writes, each in its own transaction. */
export const autocommit = (database: Database) => {
  const { pets, apiKeys, usage } = database.read;
  return {
    pets: {
      list: pets.list.bind(pets),
      get: pets.get.bind(pets),
      create: (pet: NewPet) => database.addPet(BY_TEST, pet),
    },
    apiKeys: {
      list: (afterId?: Int64, count = 100) => apiKeys.list(afterId, count),
      findById: apiKeys.findById.bind(apiKeys),
      findByHash: apiKeys.findByHash.bind(apiKeys),
      create: (key: NewApiKey) => database.write(BY_TEST, (stores) => stores.apiKeys.create(key)),
      createFirst: (key: NewApiKey) =>
        database.write(BY_TEST, (stores) => stores.apiKeys.createFirst(key)),
      revoke: (id: number, at: number) =>
        database.write(BY_TEST, (stores) => stores.apiKeys.revoke(id, at)),
    },
    usage: {
      list: usage.list.bind(usage),
      listLatest: usage.listLatest.bind(usage),
      listDays: usage.listDays.bind(usage),
      add: (counted: readonly OperationUsage[]) =>
        database.write(BY_TEST, (stores) => stores.usage.add(counted)),
    },
  };
};
