import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../test/support/random.ts';
import { eventually } from '../../eventually.ts';
import { AnimalVersions } from './animal-versions.ts';
import { type Answer, StoreClient } from './store-client.ts';

const ANIMALS = 12;
const CHANGING_CLIENTS = 12;
const ADDING_CLIENTS = 4;
const SELLERS = 2;
const READS_BESIDE = 0.3;

const PAUSE_AFTER_REFUSAL_MS = 50;
const IDS_PER_LIST = 100;

interface Animal {
  readonly id: number;
  readonly name: string;
}

interface Order {
  readonly id: number;
  readonly petId: number;
}

interface Targets {
  readonly instances: readonly string[];
  readonly proxies: readonly string[];
  readonly key: string;
}

/** Clients of two instances, which write down what they were told. */
export class Load {
  readonly versions = new AnimalVersions();
  /** When each write was acknowledged, in milliseconds of `performance.now()`. */
  readonly acknowledgedMs: number[] = [];
  /** The additions through HAProxy among them. */
  readonly addedMs: number[] = [];
  reads = 0;
  orders = 0;
  /** When the last change through each instance, and the last addition through each HAProxy, was acknowledged. */
  readonly #lastMs = new Map<string, number>();
  readonly #added = new Map<number, string>();
  readonly #ordered = new Map<number, number>();
  /** The animals that both instances were asked to sell. */
  readonly #forSale: number[] = [];
  /** Contradictions between responses, as sentences. */
  readonly #contradictions: string[] = [];
  readonly #animals: number[] = [];
  readonly #targets: Targets;
  readonly #client: StoreClient;
  readonly #random: Random;
  #clients: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(targets: Targets, random: Random) {
    this.#targets = targets;
    this.#client = new StoreClient(targets.key);
    this.#random = random;
  }

  async start(): Promise<void> {
    for (let count = 0; count < ANIMALS; count += 1) {
      const id = await eventually('an animal', async () => {
        const added = await this.#write(this.#instance(0), 'POST', '/pets', this.#named('v0'));
        return added?.status === 201 ? (added.json as Animal).id : undefined;
      });
      this.#animals.push(id);
    }
    const several = (count: number, client: (number: number, turn: number) => Promise<boolean>) =>
      Array.from({ length: count }, (_, number) => this.#repeat((turn) => client(number, turn)));
    this.#clients = Promise.all([
      ...several(CHANGING_CLIENTS, (number, turn) => this.#change(number, turn)),
      ...several(ADDING_CLIENTS, (number, turn) => this.#add(number, turn)),
      ...several(SELLERS, (number, turn) => this.#sell(number, turn)),
    ]);
  }

  /** Resolves when each instance has acknowledged a change after this call, and each HAProxy an addition. */
  async changesEverywhere(): Promise<void> {
    const sinceMs = performance.now();
    const { instances, proxies } = this.#targets;
    const hasChanged = (origin: string) => (this.#lastMs.get(origin) ?? 0) > sinceMs;
    await eventually(
      'changes through each instance and each HAProxy',
      async () => [...instances, ...proxies].every(hasChanged) || undefined,
    );
  }

  /** Ends the clients. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#clients;
  }

  async #repeat(step: (turn: number) => Promise<boolean>): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn += 1)
      if (!(await step(turn))) await sleep(PAUSE_AFTER_REFUSAL_MS);
  }

  #instance(number: number): string {
    const { instances } = this.#targets;
    return instances[number % instances.length] as string;
  }

  #named = (name: string) => ({ name, categoryId: 1, status: 'available' });

  async #write(...request: Parameters<StoreClient['send']>): Promise<Answer | undefined> {
    const answer = await this.#client.send(...request);
    if (answer !== undefined && answer.status < 300) this.acknowledgedMs.push(performance.now());
    return answer;
  }

  async #read(origin: string, id: number) {
    const floor = this.versions.floor(id);
    const answer = await this.#client.send(origin, 'GET', `/pets/${id}`);
    if (answer?.status !== 200) return undefined;
    this.reads += 1;
    const { name } = answer.json as Animal;
    return { version: this.versions.read(id, name, floor, origin), tag: answer.tag };
  }

  /** Compare and set: the animal becomes the next version, if nobody was faster. */
  async #change(client: number, turn: number): Promise<boolean> {
    const id = this.#animals[Math.floor(this.#random() * ANIMALS)] as number;
    const origin = this.#instance(client);
    if (this.#random() < READS_BESIDE) await this.#read(this.#instance(client + 1), id);
    const read = await this.#read(origin, id);
    if (read === undefined) return false;
    const name = `v${read.version + 1}-${client}.${turn}`;
    const match = { 'If-Match': read.tag };
    const changed = await this.#write(origin, 'PATCH', `/pets/${id}`, { name }, match);
    if (changed?.status === 200) {
      this.versions.acknowledge(id, name, origin);
      this.#lastMs.set(origin, performance.now());
    }
    return changed?.status === 200 || changed?.status === 412;
  }

  async #add(client: number, turn: number): Promise<boolean> {
    const { proxies } = this.#targets;
    const origin = proxies[client % proxies.length] as string;
    const name = `added ${client}.${turn}`;
    const added = await this.#write(origin, 'POST', '/pets', this.#named(name));
    if (added?.status !== 201) return false;
    this.#lastMs.set(origin, performance.now());
    this.addedMs.push(performance.now());
    this.#note(this.#added, (added.json as Animal).id, name, 'animal');
    return true;
  }

  /** Both instances order the same animal at the same time. */
  async #sell(client: number, turn: number): Promise<boolean> {
    const body = this.#named(`for sale ${client}.${turn}`);
    const added = await this.#write(this.#instance(client), 'POST', '/pets', body);
    if (added?.status !== 201) return false;
    const petId = (added.json as Animal).id;
    this.#note(this.#added, petId, body.name, 'animal');
    this.#forSale.push(petId);
    const order = (origin: string) => this.#write(origin, 'POST', '/store/orders', { petId });
    const answers = await Promise.all(this.#targets.instances.map(order));
    const placed = answers.flatMap((answer) => (answer?.status === 201 ? [answer] : []));
    this.orders += placed.length;
    for (const { json } of placed) this.#note(this.#ordered, (json as Order).id, petId, 'order');
    if (placed.length > 1) this.#contradictions.push(`animal ${petId} was sold twice`);
    return placed.length > 0;
  }

  #note<Value>(all: Map<number, Value>, id: number, value: Value, kind: string): void {
    if (all.has(id)) this.#contradictions.push(`the id of ${kind} ${id} was given out twice`);
    all.set(id, value);
  }

  /** What contradicts the responses, as sentences. The clients have ended, and the cluster is whole. */
  async problems(): Promise<string[]> {
    const problems = [...this.#client.problems, ...this.#contradictions];
    for (const origin of this.#targets.instances) {
      try {
        for (const id of this.#animals) await eventually('an animal', () => this.#read(origin, id));
        problems.push(...(await this.#missing(origin)));
      } catch (error) {
        problems.push(`${origin} does not answer at the end: ${(error as Error).message}`);
      }
    }
    return [...new Set([...problems, ...this.versions.problems])];
  }

  /** A read after the failures. Right after the last one, it may be refused for a while. */
  #get<Json>(origin: string, path: string): Promise<Json> {
    return eventually(`200 for ${path}`, async () => {
      const answer = await this.#client.send(origin, 'GET', path);
      return answer?.status === 200 ? (answer.json as Json) : undefined;
    });
  }

  async #missing(origin: string): Promise<string[]> {
    const names = new Map<number, string>();
    const ids = [...this.#added.keys()];
    for (let start = 0; start < ids.length; start += IDS_PER_LIST) {
      const query = ids.slice(start, start + IDS_PER_LIST).map((id) => `id=${id}`);
      const path = `/pets?limit=${IDS_PER_LIST}&${query.join('&')}`;
      for (const { id, name } of await this.#get<Animal[]>(origin, path)) names.set(id, name);
    }
    const lost = [...this.#added].filter(([id, name]) => names.get(id) !== name);
    return [
      ...lost.map(([, name]) => `the animal "${name}" is lost`),
      ...(await this.#wrongOrders(origin)),
    ];
  }

  /** Looks for each acknowledged order, and for a second one of an animal. Orders may have had no response. */
  async #wrongOrders(origin: string): Promise<string[]> {
    const wrong: string[] = [];
    const stored = new Set<number>();
    for (const petId of this.#forSale) {
      const orders = await this.#get<Order[]>(origin, `/store/orders?petId=${petId}`);
      for (const { id } of orders) stored.add(id);
      if (orders.length > 1) wrong.push(`animal ${petId} was sold twice`);
    }
    const lost = [...this.#ordered.keys()].filter((id) => !stored.has(id));
    return [...wrong, ...lost.map((id) => `the order ${id} is lost`)];
  }
}
