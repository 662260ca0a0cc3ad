import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, closesConnection, type RawResponse } from '../../test/process/connection.ts';
import type { Random } from '../../test/support/random.ts';
import { requestText } from './request-text.ts';
import { type Resource, Told } from './told.ts';

/** A change by one request. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** The request has this `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  /** The existing resources that it changes, such as `pets/7`. */
  readonly touches: readonly string[];
  /** The name of the animals that it adds, and their number. */
  readonly adds?: readonly [name: string, count: number];
  /** Receives the response. */
  readonly onDone: (json: unknown) => void;
}

const BATCH = 10;

/** The database does not answer in time, or its disk is full. */
const REFUSED = [503, 507];

const SETTLED = ['approved', 'delivered', 'cancelled'];
const ANIMAL_OF: Readonly<Record<string, string>> = {
  approved: 'pending',
  delivered: 'sold',
  cancelled: 'available',
};

/** One client, which changes only what it has added. So it knows what must be stored. */
class Client {
  readonly pets: Resource[] = [];
  readonly orders: Resource[] = [];
  readonly keys: Resource[] = [];
  #count = 0;

  constructor(
    readonly number: number,
    readonly random: Random,
    readonly told: Told,
  ) {}

  /** Chooses a change at random. A resource that it changes is the client's again when it is done. */
  next(): Change {
    this.#count += 1;
    const unique = `${this.number}-${this.#count}`;
    const pet = this.random() < 0.6 ? this.#take(this.pets) : undefined;
    if (pet !== undefined) return this.#changeOf(pet, unique);
    const chance = this.random();
    const order = chance < 0.3 ? this.#take(this.orders) : undefined;
    if (order !== undefined) return this.#settle(order);
    if (chance < 0.35) return this.#newCategory();
    if (chance < 0.4) return this.#changeOfKey(unique);
    return chance < 0.5 ? this.#batch(unique) : this.#newPet(unique);
  }

  #take(all: Resource[]): Resource | undefined {
    return all.splice(Math.floor(this.random() * all.length), 1)[0];
  }

  #isAnimal(pet: Resource): void {
    this.told.state(`pets/${pet.id}`, pet);
    if (pet['status'] === 'available') this.pets.push(pet);
  }

  #newPet(unique: string): Change {
    const name = `one ${unique}`;
    const body = { name, categoryId: 1, status: 'available' };
    const onDone = (json: unknown) => this.#isAnimal(json as Resource);
    return { method: 'POST', path: '/pets', body, touches: [], adds: [name, 1], onDone };
  }

  #batch(unique: string): Change {
    const name = `many ${unique}`;
    const pets = Array.from({ length: BATCH }, () => ({
      name,
      categoryId: 1,
      status: 'available',
    }));
    return {
      ...{ method: 'POST', path: '/pet-batches', body: { pets }, idempotencyKey: unique },
      ...{ touches: [], adds: [name, BATCH] },
      onDone: (json) => {
        for (const pet of json as Resource[]) this.#isAnimal(pet);
      },
    };
  }

  #changeOf(pet: Resource, unique: string): Change {
    const subject = `pets/${pet.id}`;
    const chance = this.random();
    const change = { path: `/${subject}`, touches: [subject] };
    if (chance < 0.2)
      return { ...change, method: 'DELETE', onDone: () => this.told.state(subject, undefined) };
    if (chance < 0.6) {
      const body = { categoryId: Number(pet['categoryId']) + 1 };
      const onDone = (json: unknown) => this.#isAnimal(json as Resource);
      return { ...change, method: 'PATCH', body, onDone };
    }
    return {
      ...{ method: 'POST', path: '/store/orders', touches: [subject], idempotencyKey: unique },
      body: { petId: pet.id, reference: unique },
      onDone: (json) => {
        const order = json as Resource;
        this.told.state(`orders/${order.id}`, order);
        this.told.state(subject, { ...pet, status: 'pending' }, 0);
        this.orders.push({ ...order, pet });
      },
    };
  }

  #settle({ pet, ...order }: Resource): Change {
    const statuses = SETTLED.filter((status) => status !== order['status']);
    const status = statuses[Math.floor(this.random() * statuses.length)] as string;
    const animal = { ...(pet as Resource), status: ANIMAL_OF[status] };
    const touches = [`orders/${order.id}`, `pets/${animal.id}`];
    return {
      ...{ method: 'PATCH', path: `/store/orders/${order.id}`, body: { status }, touches },
      onDone: (json) => {
        this.told.state(`orders/${order.id}`, json as Resource);
        this.told.state(`pets/${animal.id}`, animal, 0);
        if (status === 'approved') this.orders.push({ ...(json as Resource), pet: animal });
        if (status === 'cancelled') this.pets.push(animal);
      },
    };
  }

  #newCategory(): Change {
    const id = this.number * 100_000 + this.#count;
    const onDone = (json: unknown) => this.told.state(`categories/${id}`, json as Resource);
    const body = { name: `category ${id}` };
    const path = `/categories/${id}`;
    return { method: 'PUT', path, body, touches: [`categories/${id}`], onDone };
  }

  #changeOfKey(unique: string): Change {
    const key = this.#take(this.keys);
    const isKey = (json: unknown) => {
      const { id, name } = json as Resource;
      this.told.state(`api-keys/${id}`, { id, name });
      this.keys.push({ id, name });
    };
    if (key === undefined) {
      const body = { name: `key ${unique}`, scopes: ['pets:read'] };
      return { method: 'POST', path: '/api-keys', body, touches: [], onDone: isKey };
    }
    const subject = `api-keys/${key.id}`;
    const change = { path: `/${subject}`, touches: [subject] };
    const revoked = { ...key, isRevoked: true };
    const onDone = () => this.told.state(subject, revoked);
    return { ...change, method: 'DELETE', onDone };
  }
}

/** Where the service is now: a restarted one has another port. */
interface Target {
  readonly origin: string;
  readonly key: string;
}

/** Clients that make changes of all kinds, until they are stopped. A connection that is lost is opened again. */
export class MixedChanges {
  readonly told = new Told();
  readonly #mayRefuse: boolean;
  readonly #unanswered: Change[] = [];
  readonly #clients: Promise<unknown>;
  /** Where half of the clients send their changes. */
  #otherOrigin: string | undefined;
  #isStopped = false;

  constructor(
    readonly target: Target,
    random: Random,
    { clients, mayRefuse = false }: { readonly clients: number; readonly mayRefuse?: boolean },
  ) {
    this.#mayRefuse = mayRefuse;
    this.#clients = Promise.all(
      Array.from({ length: clients }, (_, number) =>
        this.#run(new Client(number + 1, random, this.told)),
      ),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#clients;
  }

  /** Half of the clients send their next changes to another process with the same catalogue. Undefined: to the first one again. */
  divert(origin: string | undefined): void {
    this.#otherOrigin = origin;
  }

  #originOf({ number }: Client): string {
    return (number % 2 === 0 ? this.#otherOrigin : undefined) ?? this.target.origin;
  }

  /** Sends the requests without a response again, if they have an `Idempotency-Key`. */
  async retry({ origin, key }: Target): Promise<void> {
    const connection = await Connection.open(origin);
    for (const change of this.#unanswered) {
      connection?.send(requestText(change, key));
      this.#receive(change, await connection?.response());
    }
    connection?.close();
  }

  async #run(client: Client): Promise<void> {
    let connection: Connection | undefined;
    let connectedTo: string | undefined;
    while (!this.#isStopped) {
      const origin = this.#originOf(client);
      if (origin !== connectedTo) {
        connection?.close();
        connection = undefined;
        connectedTo = origin;
      }
      connection ??= await Connection.open(origin);
      if (connection === undefined) {
        await sleep(5);
        continue;
      }
      const change = client.next();
      connection.send(requestText(change, this.target.key));
      const response = await connection.response();
      if (response === undefined || (this.#mayRefuse && REFUSED.includes(response.status))) {
        this.told.doubt(change);
        if (change.idempotencyKey !== undefined) this.#unanswered.push(change);
      } else this.#receive(change, response);
      if (response === undefined || closesConnection(response)) connection = undefined;
    }
    connection?.close();
  }

  #receive(change: Change, response: RawResponse | undefined): void {
    if (response === undefined || response.status >= 300) {
      const text = `${change.method} ${change.path}: ${response?.status} ${response?.body}`;
      this.told.refused.push(text);
      return;
    }
    this.told.confirm(change);
    change.onDone(response.body === '' ? undefined : JSON.parse(response.body));
  }
}
