import type { ApiKeyStore } from '../../src/api-keys/api-key-store.ts';
import type { OperationUsage } from '../../src/observe/usage.ts';
import type { NewPet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';

type NewApiKey = Parameters<ApiKeyStore['create']>[0];

/** The readers of a database, and its changes, each in a transaction of its own. */
export const autocommit = ({ read, write }: Database) => ({
  pets: {
    list: read.pets.list.bind(read.pets),
    get: read.pets.get.bind(read.pets),
    create: (pet: NewPet) => write(({ pets }) => pets.create(pet)),
  },
  apiKeys: {
    list: read.apiKeys.list.bind(read.apiKeys),
    findById: read.apiKeys.findById.bind(read.apiKeys),
    findByHash: read.apiKeys.findByHash.bind(read.apiKeys),
    create: (key: NewApiKey) => write(({ apiKeys }) => apiKeys.create(key)),
    revoke: (id: number, at: number) => write(({ apiKeys }) => apiKeys.revoke(id, at)),
  },
  usage: {
    list: read.usage.list.bind(read.usage),
    add: (usage: readonly OperationUsage[]) => write((stores) => stores.usage.add(usage)),
  },
});
