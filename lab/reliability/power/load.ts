import { bearer } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import type { History, State } from './history.ts';

interface Target {
  readonly origin: string;
  /** A key with all scopes. */
  readonly key: string;
}

interface Animal {
  readonly id: number;
  orderId?: number | undefined;
}

type Fields = Record<string, unknown>;

const CATEGORIES = 10;

/** Sends changes of all kinds to a service, and writes down what it was told. Only this client changes what it has added. */
class Client {
  readonly #animals: Animal[] = [];
  readonly #keys: number[] = [];
  #names = 0;

  constructor(
    readonly target: Target,
    readonly client: number,
    readonly history: History,
    readonly random: Random,
  ) {}

  async run(requests: number): Promise<void> {
    for (let request = 0; request < requests; request += 1) {
      const chance = this.random();
      const change = CHANGES.find(({ until }) => chance < until)?.change;
      await (change?.(this) ?? this.addAnimal());
    }
  }

  async addAnimal(): Promise<void> {
    await this.#send('POST', '/pets', this.#newAnimal(), (pet) => this.#addedAnimal(pet as Fields));
  }

  async addBatch(): Promise<void> {
    const pets = Array.from({ length: 5 }, () => this.#newAnimal());
    const key = `batch-${this.random()}`;
    const answer = (added: unknown): [string, State][] => [
      ...(added as Fields[]).flatMap((pet) => this.#addedAnimal(pet)),
      [`answers/${key}`, { id: key }],
    ];
    await this.#send('POST', '/pet-batches', { pets }, answer, { 'Idempotency-Key': key });
  }

  async changeAnimal(): Promise<void> {
    const animal = this.#any(this.#animals);
    if (animal === undefined) return this.addAnimal();
    const change = { name: this.#name('renamed'), categoryId: this.#category() };
    await this.#send('PATCH', `/pets/${animal.id}`, change, (pet) => [
      [`pets/${animal.id}`, pet as Fields],
    ]);
  }

  async removeAnimal(): Promise<void> {
    const animal = this.#any(this.#animals);
    if (animal === undefined || animal.orderId !== undefined) return this.addAnimal();
    this.#animals.splice(this.#animals.indexOf(animal), 1);
    await this.#send('DELETE', `/pets/${animal.id}`, undefined, () => [
      [`pets/${animal.id}`, null],
    ]);
  }

  /** Orders an animal, or gives its order the next status. */
  async sell(): Promise<void> {
    const animal = this.#any(this.#animals);
    if (animal === undefined) return this.addAnimal();
    const order = animal.orderId && this.history.last(`orders/${animal.orderId}`);
    if (order) await this.#continue(animal, order);
    else await this.#order(animal);
  }

  async #order(animal: Animal): Promise<void> {
    const order = { petId: animal.id, reference: this.#name('receipt'), note: 'Paid.\nIn cash.' };
    await this.#send('POST', '/store/orders', order, (placed) => {
      const { id } = placed as { id: number };
      animal.orderId = id;
      return [[`orders/${id}`, placed as Fields], this.#statusOf(animal, 'pending')];
    });
  }

  async #continue(animal: Animal, { id, status }: Fields): Promise<void> {
    const next = NEXT[`${status}`];
    const [order = '', pet = ''] = this.#any(next ?? []) ?? [];
    await this.#send('PATCH', `/store/orders/${id}`, { status: order }, (changed) => {
      if (NEXT[order] === undefined) animal.orderId = undefined;
      return [[`orders/${id}`, changed as Fields], this.#statusOf(animal, pet)];
    });
  }

  #statusOf({ id }: Animal, status: string): [string, State] {
    return [`pets/${id}`, { ...this.history.last(`pets/${id}`), status }];
  }

  async nameCategory(): Promise<void> {
    // One of its own: nobody else changes it.
    const id = this.client * CATEGORIES + Math.floor(this.random() * CATEGORIES);
    const body = { name: this.#name('category') };
    await this.#send('PUT', `/categories/${id}`, body, () => [
      [`categories/${id}`, { id, ...body }],
    ]);
  }

  async changeKeys(): Promise<void> {
    const id = this.random() < 0.5 ? this.#keys.pop() : undefined;
    if (id !== undefined) {
      const key = { ...this.history.last(`api-keys/${id}`), isRevoked: true };
      await this.#send('DELETE', `/api-keys/${id}`, undefined, () => [[`api-keys/${id}`, key]]);
      return;
    }
    await this.#send('POST', '/api-keys', { name: this.#name('key') }, (created) => {
      const { id, name, hint, scopes, createdAt } = created as Fields;
      this.#keys.push(id as number);
      return [[`api-keys/${id}`, { id, name, hint, scopes, createdAt, isRevoked: false }]];
    });
  }

  #newAnimal = (): Fields => ({
    name: this.#name('animal'),
    categoryId: this.#category(),
    status: 'available',
  });

  #addedAnimal(pet: Fields): [string, State][] {
    this.#animals.push({ id: pet['id'] as number });
    return [[`pets/${pet['id']}`, pet]];
  }

  #category = (): number => Math.floor(this.random() * CATEGORIES);

  #name = (kind: string): string => `${kind} ${this.client}-${++this.#names}`;

  #any = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(this.random() * items.length)];

  async #send(
    method: string,
    path: string,
    body: Fields | undefined,
    changed: (answer: unknown) => readonly [string, State][],
    headers: Record<string, string> = {},
  ): Promise<void> {
    const requestId = this.history.nextRequestId();
    const response = await fetch(`${this.target.origin}/v1${path}`, {
      method,
      headers: {
        ...bearer(this.target.key).headers,
        ...(body && { 'Content-Type': 'application/json' }),
        'X-Request-Id': requestId,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const answer = text === '' ? undefined : JSON.parse(text);
    for (const [subject, state] of changed(answer)) this.history.add(requestId, subject, state);
  }
}

/** The next statuses of an order, each with the status of its animal. */
const NEXT: Readonly<Record<string, readonly (readonly [order: string, animal: string])[]>> = {
  placed: [
    ['approved', 'pending'],
    ['delivered', 'sold'],
    ['cancelled', 'available'],
  ],
  approved: [
    ['delivered', 'sold'],
    ['cancelled', 'available'],
  ],
  delivered: [['returned', 'available']],
};

/** The kinds of changes, each with the end of its part of all chances. */
const CHANGES: readonly {
  readonly until: number;
  readonly change: (client: Client) => Promise<void>;
}[] = [
  { until: 0.3, change: (client) => client.addAnimal() },
  { until: 0.35, change: (client) => client.addBatch() },
  { until: 0.6, change: (client) => client.changeAnimal() },
  { until: 0.65, change: (client) => client.removeAnimal() },
  { until: 0.92, change: (client) => client.sell() },
  { until: 0.96, change: (client) => client.nameCategory() },
  { until: 1, change: (client) => client.changeKeys() },
];

/** Sends changes by several clients at once. @param requests of each client. */
export async function sendChanges(
  target: Target,
  { clients, requests }: { readonly clients: number; readonly requests: number },
  history: History,
  random: Random,
): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      new Client(target, client, history, random).run(requests),
    ),
  );
}
