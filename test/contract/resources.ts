import type { Operation } from '../../src/http/contract/operation.ts';
import type { Int64 } from '../../src/int64.ts';
import { BY_TEST } from '../support/cause.ts';
import type { TestService } from '../support/service.ts';
import { addDelivery, sharedReceiver } from '../support/webhook-receiver.ts';

/** The ids of resources, by the names of the parameters and fields of operations on them. */
export type Ids = Readonly<Record<string, Int64>>;

/** Adds one of each resource to the storage. The valid bodies of operations differ from them. */
export async function addResources(service: TestService): Promise<Ids> {
  const animal = { name: 'Rex', categoryId: 1, status: 'available' } as const;
  const pet = await service.addPet(animal);
  const held = await service.addPet({ ...animal, status: 'pending' });
  const { key } = await service.issueKey();
  const categoryId = 1_000_000 + key.id;
  const createdAt = new Date(service.clock.now()).toISOString();
  const expiresAt = new Date(service.clock.now() + 60_000).toISOString();
  const { id: orderId } = await service.database.write(BY_TEST, ({ orders }) =>
    orders.create({ petId: held.id, status: 'placed', createdAt, expiresAt }),
  );
  await service.database.write(BY_TEST, ({ categories }) =>
    categories.create({ id: categoryId, name: 'Cats' }),
  );
  const webhooks = await addDelivery(service);
  return { petId: pet.id, categoryId, orderId, keyId: key.id, ...webhooks };
}

export const pathOf = ({ path }: Operation, ids: Ids): string =>
  `/v1${path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `${ids[name]}`)}`;

/** A valid body of an operation, from its declaration. Undefined if it has none. */
export function bodyOf({ body }: Operation, ids: Ids): object | undefined {
  const [example] = Object.values(body?.examples ?? {});
  const fields = Object.entries(example ?? {}).map(([name, value]) => [
    name,
    name === 'url' ? sharedReceiver() : (ids[name] ?? value),
  ]);
  return body && Object.fromEntries(fields);
}
