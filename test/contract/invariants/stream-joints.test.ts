/**
 * Guarantee: a stream contains each event after its start exactly once, in order, wherever it joins the live streams, and across
 * connections that are lost. Reads take random time here, so that changes and polls come in between.
 */
import { expect, test } from 'bun:test';
import type { EventReader } from '../../../src/events/event-store.ts';
import type { Database } from '../../../src/storage/database.ts';
import { BY_TEST } from '../../support/cause.ts';
import { sequencesFor } from '../../support/engines.ts';
import type { StreamReader } from '../../support/event-stream.ts';
import { randomFrom } from '../../support/random.ts';
import { type StreamedService, startStreamedService } from '../streamed-service.ts';
import { withMethods } from '../with-methods.ts';

/** Repeat a failed run with JOINT_SEED=<the seed that was printed>. */
const seed = Number(process.env['JOINT_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);
/** A round has many changes. */
const ROUNDS = Math.ceil(sequencesFor(12, 6) / 3);

const CLIENTS = 6;
const CHANGES = 25;
const FILTERS = ['', '&type=pet.created', '&subject=pets/7', '&type=pet.created&subject=pets/3'];

type Random = () => number;
type List = EventReader['list'];

const pause = async (random: Random, turns: number): Promise<void> => {
  for (let turn = Math.floor(random() * turns); turn > 0; turn -= 1)
    await (random() < 0.5 ? Promise.resolve() : new Promise(setImmediate));
};

const slowly =
  (random: Random) =>
  (database: Database): Database => {
    const { events } = database.read;
    const slow = withMethods(events, {
      async peek() {
        await pause(random, 4);
        const feed = await events.peek();
        await pause(random, 4);
        return feed;
      },
      async list(...parameters: Parameters<List>) {
        await pause(random, 4);
        const page = await events.list(...parameters);
        await pause(random, 4);
        return page;
      },
    });
    return { ...database, read: { ...database.read, events: slow } };
  };

/** A client that loses its connection now and then, and resumes. */
class Client {
  readonly ids: (string | undefined)[] = [];
  start: string | undefined;
  #last: string | undefined;
  reader: StreamReader | undefined;

  constructor(
    readonly service: StreamedService,
    readonly filter: string,
  ) {}

  async connect(after = this.#last): Promise<void> {
    const headers = after === undefined ? {} : { 'Last-Event-ID': after };
    this.reader = await this.service.open(`?${this.filter}`, { headers });
    // The first events may have arrived already.
    this.#last = after ?? this.reader.others[1]?.slice('id: '.length);
    this.start ??= this.#last;
  }

  async disconnect(): Promise<void> {
    const { reader } = this;
    await reader?.close();
    await reader?.ended;
    this.ids.push(...(reader?.ids ?? []));
    this.#last = reader?.lastId ?? this.#last;
  }
}

/** Returns whether each client received exactly the events after its start that it selects. */
async function round(random: Random) {
  await using service = await startStreamedService({ wrap: slowly(random) });
  const { database } = service;
  /** Sometimes more than a page. */
  const addAnimals = () => {
    const count = random() < 0.1 ? 80 + Math.floor(random() * 150) : 1 + Math.floor(random() * 4);
    const animals = Array.from({ length: count }, () => ({ name: 'Rex', categoryId: 1 }));
    return database.write(BY_TEST, ({ pets }) => pets.createAll(animals));
  };
  const listed = async () => {
    const query = { filters: {}, sort: 'id' } as const;
    const { generation } = await database.read.events.feed();
    const events = await database.read.events.list(query, undefined, 100_000, true);
    return events.map(({ id, ...event }) => ({ ...event, id: `${generation}-${id}` }));
  };
  await addAnimals();
  const known = (await listed()).map(({ id }) => id);
  const clients = Array.from(
    { length: CLIENTS },
    (_, index) => new Client(service, FILTERS[index % FILTERS.length] as string),
  );
  let isDone = false;
  const polls = (async () => {
    while (!isDone) {
      while (await database.sequenceEvents());
      await service.streams.poll();
      await pause(random, 6);
    }
  })();
  const changes = (async () => {
    for (let step = 0; step < CHANGES; step += 1) {
      await addAnimals();
      await pause(random, 20);
    }
  })();
  await Promise.all(
    clients.map(async (client) => {
      await client.connect(random() < 0.5 ? known[Math.floor(random() * known.length)] : undefined);
      for (let connection = 0; connection < 4; connection += 1) {
        await pause(random, 40);
        await client.disconnect();
        await client.connect();
      }
    }),
  );
  await changes;
  const all = await listed();
  const expectedOf = ({ filter, start }: Client) => {
    const type = /type=([a-z.]+)/.exec(filter)?.[1];
    const subject = /subject=([a-z/0-9]+)/.exec(filter)?.[1];
    return all
      .slice(all.findIndex(({ id }) => id === start) + 1)
      .filter((event) => type === undefined || event.type === type)
      .filter((event) => subject === undefined || event.subject === subject)
      .map(({ id }) => id);
  };
  const sent = clients.map(expectedOf);
  const isBehind = ({ ids, reader }: Client, index: number) =>
    ids.length + (reader?.ids.length ?? 0) < (sent[index]?.length ?? 0);
  // A stream that catches up takes its time. What comes twice comes some turns later.
  for (let turn = 0, idle = 0; idle < 40 && turn < 300; turn += 1) {
    await service.poll();
    await pause(random, 4);
    idle = clients.some(isBehind) ? 0 : idle + 1;
  }
  isDone = true;
  await polls;
  for (const client of clients) await client.disconnect();
  return clients.map(({ ids }, index) => ({ received: ids, sent: sent[index] ?? [] }));
}

test('no event is missing or repeated where a stream becomes live, or resumes', async () => {
  console.log(`JOINT_SEED=${seed}`);
  for (let number = 0; number < ROUNDS; number += 1) {
    for (const { received, sent } of await round(randomFrom(seed + number)))
      expect(received).toEqual(sent);
  }
});
