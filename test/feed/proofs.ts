import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../support/create-key.ts';
import { addAnimals, Changes } from './changes.ts';
import { Follower, type FollowerOptions, hashAfter, KeepingFollower } from './follower.ts';
import { catalogueText, Mirror, problemsOf } from './history.ts';
import { FEED_SCOPES, type FeedEngine, ServedFeed } from './served-feed.ts';

/** What a proof found. It holds without problems. */
export interface Proof {
  /** How many kills, changes, cuts or events it really had. */
  readonly trials: number;
  readonly problems: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

export interface ProofOptions {
  readonly engine: FeedEngine;
  readonly random: () => number;
  /** Kills, disconnects or changes: what the proof counts. */
  readonly rounds: number;
  /** How long a proof with a duration runs. */
  readonly seconds: number;
  /** The fault of a client in the control: the proof must find it. */
  readonly fault?: FollowerOptions['fault'];
  /** After this time, the service is killed. */
  readonly limitMs: number;
}

const ANIMALS = 50;

const PACED = { writers: 8, perSecond: 200, isMixed: true };

/** A client that receives nothing for so long has lost the newest event. */
const SILENCE_MS = 60_000;

/** Runs `work` on a service with some animals. */
async function withFeed(
  { engine, limitMs }: ProofOptions,
  work: (feed: ServedFeed, animals: number[]) => Promise<Proof>,
  animals = ANIMALS,
): Promise<Proof> {
  const feed = await ServedFeed.start(engine, limitMs);
  try {
    return await work(feed, await addAnimals(feed, animals));
  } finally {
    await feed.remove();
  }
}

const optionsFor = (feed: ServedFeed, options: Partial<FollowerOptions>): FollowerOptions => ({
  origin: () => feed.origin,
  key: feed.key,
  ...options,
});

/** Waits until clients have received an event, or receive nothing for a while. */
async function untilReceived(clients: readonly Follower[], id: string | undefined): Promise<void> {
  let received = 0;
  let lastMs = performance.now();
  while (clients.some(({ lastId }) => lastId !== id)) {
    const now = clients.reduce((sum, { count }) => sum + count, 0);
    if (now > received) lastMs = performance.now();
    else if (performance.now() - lastMs > SILENCE_MS) return;
    received = now;
    await sleep(20);
  }
}

/** A client that follows after the first event, that of the API key, which the key itself does not see. */
async function followFirst(feed: ServedFeed, { fault }: Pick<ProofOptions, 'fault'>) {
  const after = `${(await feed.newestId())?.split('-')[0]}-1`;
  return new KeepingFollower(optionsFor(feed, { after, fault }));
}

const difference = (received: number, sent: number): string =>
  received === sent
    ? 'a client received other events, or another order'
    : `a client received ${received} of ${sent} events`;

/** The problems of a client that was to receive everything after an event. */
async function problemsOfClient(
  feed: ServedFeed,
  client: KeepingFollower,
  acknowledged: Iterable<string>,
): Promise<string[]> {
  const events = await feed.history(client.options.after);
  const problems = problemsOf(events, await feed.catalogue(), acknowledged);
  const received = client.events.map(({ id }) => id);
  const listed = events.map(({ id }) => id);
  if (!Bun.deepEquals(received, listed)) problems.push(difference(received.length, listed.length));
  return [...problems, ...problemsOf(client.events, await feed.catalogue(), acknowledged)];
}

/** Ends the changes, waits until the clients have all events, and compares what each received with the list. */
async function problemsAfter(
  changes: Changes,
  feed: ServedFeed,
  clients: readonly KeepingFollower[],
): Promise<string[]> {
  await changes.stop();
  await untilReceived(clients, await feed.newestId());
  const problems = [...changes.refused];
  for (const client of clients) {
    await client.stop();
    problems.push(...(await problemsOfClient(feed, client, changes.acknowledged)));
  }
  return problems;
}

/** Kills the service repeatedly under 200 changes a second. Every change has its event, also in a stream that resumes. */
export const kills = (options: ProofOptions): Promise<Proof> =>
  withFeed(options, async (feed, animals) => {
    const { random, rounds } = options;
    const client = await followFirst(feed, options);
    const changes = new Changes(feed, { ...PACED, random, animals });
    for (let round = 0; round < rounds; round += 1) {
      await sleep(200 + random() * 500);
      await feed.kill();
      await feed.restart();
    }
    await sleep(100);
    const problems = await problemsAfter(changes, feed, [client]);
    const { length: acknowledged } = changes.acknowledged;
    const figures = { 'acknowledged changes': acknowledged, events: client.count };
    return { trials: rounds, problems, figures };
  });

/** Eight writers change the same animals. The events of an animal are in the order of its changes. */
export const writers = (options: ProofOptions): Promise<Proof> =>
  withFeed(options, async (feed, animals) => {
    const { random, rounds } = options;
    const client = await followFirst(feed, options);
    const changes = new Changes(feed, { random, writers: 8, animals }, rounds);
    await changes.finished();
    const problems = await problemsAfter(changes, feed, [client]);
    const { length: trials } = changes.acknowledged;
    return { trials, problems, figures: { events: client.count } };
  });

/** Clients lose their connections at random, under 200 changes a second. */
export const disconnects = (options: ProofOptions): Promise<Proof> =>
  withFeed(options, async (feed, animals) => {
    const { random, rounds } = options;
    const clients = [await followFirst(feed, options)];
    while (clients.length < 10) clients.push(await followFirst(feed, {}));
    const changes = new Changes(feed, { ...PACED, random, animals });
    for (let cuts = 0; cuts < rounds; ) {
      await sleep(random() * 40);
      if (clients[Math.floor(random() * clients.length)]?.disconnect()) cuts += 1;
    }
    const problems = await problemsAfter(changes, feed, clients);
    const connections = clients.reduce((sum, client) => sum + client.connections, 0);
    const figures = { clients: clients.length, connections, events: clients[0]?.count ?? 0 };
    return { trials: rounds, problems, figures };
  });

/** Many streams for a time, under 20 changes a second. The service needs little memory for them. */
export const streams =
  (count: number) =>
  (options: ProofOptions): Promise<Proof> =>
    withFeed(options, async (feed, animals) => {
      const { random, rounds, seconds, fault } = options;
      // One key has at most a quarter of the streams.
      const keys = [feed.key];
      while (keys.length < 4) keys.push(await createKey(feed.url, FEED_SCOPES));
      // Memory that any traffic needs.
      await new Changes(feed, { random, writers: 8, animals }, rounds).finished();
      const after = await feed.newestId();
      const before = feed.memoryMib();
      const clients = Array.from(
        { length: count },
        (_, index) =>
          new Follower(
            optionsFor(feed, {
              after,
              key: keys[index % keys.length] ?? '',
              fault: index === 0 ? fault : undefined,
            }),
          ),
      );
      while (clients.some(({ connections }) => connections === 0)) await sleep(20);
      const changes = new Changes(feed, { random, writers: 2, perSecond: 20, animals });
      await sleep(seconds * 1000);
      await changes.stop();
      await untilReceived(clients, await feed.newestId());
      const memory = feed.memoryMib();
      await Promise.all(clients.map((client) => client.stop()));
      const events = await feed.history(after);
      const expected = events.reduce((hash, { id }) => hashAfter(hash, id), 0n);
      const wrong = clients.filter(({ hash }) => hash !== expected);
      const connections = clients.reduce((sum, client) => sum + client.connections, 0);
      return {
        trials: events.length,
        problems: [
          ...changes.refused,
          ...wrong.map((client) => difference(client.count, events.length)),
        ],
        figures: {
          streams: count,
          connections,
          'received events': clients.reduce((sum, client) => sum + client.count, 0),
          'memory before, in MiB': Math.round(before),
          'more memory with the streams, in MiB': Math.round(memory - before),
        },
      };
    });

/** A mirror that was down during many changes reads their events, and is then equal to the catalogue, byte by byte. */
export const replay = (options: ProofOptions): Promise<Proof> =>
  withFeed(options, async (feed, animals) => {
    const { random, rounds, fault } = options;
    const mirror = new Mirror();
    for (const event of await feed.history(undefined)) mirror.apply(event);
    const after = await feed.newestId();
    const bytesBefore = await feed.feedBytes();
    const changes = new Changes(feed, { random, writers: 32, animals }, rounds);
    await changes.finished();
    const bytes = (await feed.feedBytes()) - bytesBefore;
    const newest = await feed.newestId();
    const startMs = performance.now();
    const client = new Follower(
      optionsFor(feed, { after, fault, onEvent: (event) => mirror.apply(event) }),
    );
    await untilReceived([client], newest);
    const seconds = (performance.now() - startMs) / 1000;
    await client.stop();
    const isEqual = mirror.text() === catalogueText(await feed.catalogue());
    const { length: sent } = changes.acknowledged;
    const bytesPerEvent = bytes / sent;
    return {
      trials: sent,
      problems: [
        ...changes.refused,
        ...(client.count === sent ? [] : [difference(client.count, sent)]),
        ...mirror.problems,
        ...(isEqual ? [] : ['the mirror is not equal to the catalogue']),
      ],
      figures: {
        events: client.count,
        'seconds to catch up': Math.round(seconds),
        'bytes of an event with its indexes': Math.round(bytesPerEvent),
      },
    };
  });
