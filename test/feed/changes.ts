import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedFeed } from './served-feed.ts';

const STATUSES = ['available', 'pending', 'sold'];

interface ChangesOptions {
  readonly random: () => number;
  readonly writers: number;
  /** Changes a second of all writers together. Undefined: as fast as they can. */
  readonly perSecond?: number | undefined;
  /** The ids of animals that are changed. */
  readonly animals: number[];
  /** Whether writers also add and delete animals. Otherwise they only update. */
  readonly isMixed?: boolean;
}

/** Changes animals by simultaneous requests. Each change gives an animal a name that no other has. */
export class Changes {
  /** The names of changes with a response. */
  readonly acknowledged: string[] = [];
  /** Requests that got a response other than success. */
  readonly refused: string[] = [];
  sent = 0;
  #isStopped = false;
  readonly #startMs = performance.now();
  #slots = 0;
  readonly #writers: Promise<unknown>;

  /** @param count after so many changes, the writers stop. */
  constructor(
    readonly feed: ServedFeed,
    readonly options: ChangesOptions,
    readonly count = Number.POSITIVE_INFINITY,
  ) {
    this.#writers = Promise.all(Array.from({ length: options.writers }, () => this.#write()));
  }

  /** Resolves when all writers have stopped. */
  async finished(): Promise<void> {
    await this.#writers;
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.finished();
  }

  async #write(): Promise<void> {
    while (!this.#isStopped && this.sent < this.count) {
      this.sent += 1;
      await this.#untilSlot();
      // Without a response, or with 503 of a busy database, the change may be there.
      await this.#change(`change ${this.sent} ${this.options.random()}`).catch(() => sleep(5));
    }
  }

  async #untilSlot(): Promise<void> {
    const { perSecond = Number.POSITIVE_INFINITY } = this.options;
    const waitMs = this.#startMs + (this.#slots++ * 1000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
  }

  async #change(name: string): Promise<void> {
    const { random, animals, isMixed = false } = this.options;
    const chance = isMixed ? random() : 1;
    const index = Math.floor(random() * animals.length);
    const status = STATUSES[Math.floor(random() * STATUSES.length)];
    const id = animals[index];
    if (id === undefined || chance < 0.3) {
      const { json } = await this.#send('POST', '/pets', { name, categoryId: 1 });
      animals.push((json as { id: number }).id);
    } else if (chance < 0.4) {
      animals.splice(index, 1);
      await this.#send('DELETE', `/pets/${id}`);
      return;
    } else {
      const { status: code } = await this.#send('PATCH', `/pets/${id}`, { name, status });
      if (code === 404) return;
    }
    this.acknowledged.push(name);
  }

  async #send(method: string, path: string, body?: unknown) {
    const response = await this.feed.send(method, path, body);
    const text = await response.text();
    const { status } = response;
    if (status === 503) throw new Error(text);
    // Another writer may have deleted the animal.
    if (status >= 300 && status !== 404) this.refused.push(`${method} ${path}: ${status} ${text}`);
    return { status, json: text === '' ? undefined : JSON.parse(text) };
  }
}

/** Adds animals, and returns their ids. */
export async function addAnimals(feed: ServedFeed, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const pets = Array.from({ length: Math.min(1_000, count - ids.length) }, (_, index) => ({
      name: `animal ${ids.length + index}`,
      categoryId: 1,
    }));
    const response = await feed.send('POST', '/pet-batches', { pets });
    ids.push(...((await response.json()) as { id: number }[]).map(({ id }) => id));
  }
  return ids;
}
