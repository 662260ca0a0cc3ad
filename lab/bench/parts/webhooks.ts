import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { appendEvents } from '../../../src/storage/sqlite/statements/append-events.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { BenchFailed } from '../failure.ts';
import type { Options } from '../options.ts';
import { oursOn } from '../ours.ts';
import { BUN } from '../paths.ts';
import { runOrFail } from '../processes.ts';
import { requireProcessorTime } from '../processor-time.ts';
import { machine, resultOf, toJson, writeResult } from '../results.ts';
import { measureInRounds, type Samples } from '../rounds.ts';
import type { Run, RunningServer, Sample, ServerEntry } from '../server.ts';
import { spreadOf } from '../statistics.ts';
import { renderWorkload } from '../table.ts';
import { load } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { copyFor, startOnCopy } from './catalogue.ts';
import { ratiosOf, renderRatios } from './paired.ts';

const TARGET = 0.95;
const ANIMALS = 100_000;
const URLS = 200;
const STREAMS = 1_000;
const PER_MINUTE = 1_000;
/** Of an endpoint, at the same time. */
const ATTEMPTS = 4;
const PRELOADED = fileURLToPath(new URL('preloaded-commits.ts', import.meta.url));

const SETTINGS = {
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ...{ WEBHOOK_ALLOW_HTTP: 'on', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  // One key has at most a quarter of them.
  EVENT_STREAMS: String(4 * STREAMS),
};

/** A receiver that makes an endpoint get a thousand events a minute: it takes the time for each. */
function startReceiver(workspace: Workspace) {
  const counted = { deliveries: 0 };
  const pauseMs = (ATTEMPTS * 60_000) / PER_MINUTE;
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      if (request.headers.get('webhook-id')?.startsWith('ping-')) return new Response();
      counted.deliveries += 1;
      await sleep(pauseMs);
      return new Response();
    },
  });
  workspace.onCleanup(() => server.stop(true));
  return { counted, url: `http://127.0.0.1:${server.port}/` };
}

/** Measures 200 hot URLs beside 1,000 streams: alone, beside 1,000 webhooks a minute, and if their commits concern all readers. */
export async function webhooks(workspace: Workspace, options: Options): Promise<void> {
  requireProcessorTime();
  const seconds = 3 * (options.rounds * options.seconds + options.warmUpSeconds) + 60;
  const quiet = await start(workspace, 'quiet', 'without webhooks');
  const busy = await start(workspace, 'webhooks', `${PER_MINUTE} webhooks a minute`);
  const telling = await start(workspace, 'all-readers', 'the same, without onlyChanges', true);
  const servers = [quiet, busy, telling];
  const receivers = new Map<RunningServer, ReturnType<typeof startReceiver>['counted']>();
  for (const server of servers) {
    await openStreams(workspace, server);
    if (server === quiet) continue;
    const { counted, url } = startReceiver(workspace);
    receivers.set(server, counted);
    await addDeliveries(workspace, server, url, (seconds * PER_MINUTE) / 60);
  }
  const seen = new Map<RunningServer, { perMinute: number; fromCache: number }[]>(
    servers.map((server) => [server, []]),
  );
  const measure = async ({ server, ...timing }: Run): Promise<Sample> => {
    const count = () => receivers.get(server)?.deliveries ?? 0;
    const args = ['/v1/pets?limit=20&categoryId=@', await urlsOf(workspace), '1'];
    const [sent, [hits, misses]] = [count(), await cacheLookups(server)];
    const sample = await load(timing, server, 'varied', '/', args);
    const [laterHits, laterMisses] = await cacheLookups(server);
    const fromCache = (laterHits - hits) / (laterHits - hits + laterMisses - misses);
    seen.get(server)?.push({ perMinute: ((count() - sent) * 60) / timing.seconds, fromCache });
    return sample;
  };
  const title = `${URLS} hot URLs beside ${STREAMS} streams`;
  const samples = await measureInRounds(workspace, { title, measure }, servers, options);
  const result = resultOf('webhooks', title, samples);
  console.log(renderWorkload(result));
  const compared = servers.map((server) => {
    // The first run of a server warms it up.
    const [, ...rounds] = seen.get(server) ?? [];
    const perMinute = spreadOf(rounds.map((round) => round.perMinute));
    const fromCache = spreadOf(rounds.map((round) => round.fromCache));
    const percent = `${Math.round(100 * fromCache.median)} % of the responses from the cache`;
    if (server === quiet) {
      console.log(`Without: ${percent}.`);
      return { name: server.entry.name, fromCache };
    }
    const pair: Samples = new Map([quiet, server].map((one) => [one, samples.get(one) ?? []]));
    const ratios = ratiosOf(pair);
    const what = `${Math.round(perMinute.median)} webhooks a minute (${server.entry.title}) and ${percent}`;
    console.log(renderRatios(ratios, what, TARGET));
    if (perMinute.median < PER_MINUTE / 2)
      throw new BenchFailed('The service sent too few webhooks.');
    return { name: server.entry.name, ratios, perMinute, fromCache };
  });
  const head = { date: new Date().toISOString(), machine: machine(), rounds: options.rounds };
  const json = toJson({ ...head, seconds: options.seconds, target: TARGET, ...result, compared });
  console.log(`Written: ${writeResult('webhooks.json', json)}.`);
}

/** On sockets, because the runtime limits the requests of `fetch`. */
async function openStreams(workspace: Workspace, { origin, key }: RunningServer): Promise<void> {
  const { hostname, port } = new URL(origin);
  const request = `GET /v1/events/stream HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const open = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const data = (_socket: unknown, bytes: Uint8Array) =>
      Buffer.from(bytes).includes(' 200 ')
        ? resolve()
        : reject(new BenchFailed('A stream of events was refused.'));
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data } });
    workspace.onCleanup(() => void socket.end());
    socket.write(request);
    await promise;
  };
  for (let opened = 0; opened < STREAMS; opened += 1) await open();
}

/** The lookups of the cache of responses that found one, and those that did not. */
async function cacheLookups({ process }: RunningServer): Promise<[number, number]> {
  const url = /http:\S*metrics/.exec(await Bun.file(process.logFile).text())?.[0];
  const text = await (await fetch(url ?? '')).text();
  const count = (what: string) =>
    Number(
      new RegExp(`^animal_store_cache_${what}_total{cache="response".* (\\d+)$`, 'm').exec(
        text,
      )?.[1],
    );
  return [count('hits'), count('misses')];
}

async function urlsOf(workspace: Workspace): Promise<string> {
  const path = join(workspace.folder('urls'), 'categories.txt');
  await Bun.write(path, Array.from({ length: URLS }, (_, index) => index + 1).join('\n'));
  return path;
}

const start = (
  workspace: Workspace,
  name: string,
  title: string,
  tellsAll = false,
): Promise<RunningServer> =>
  startOnCopy(workspace, ANIMALS, name, (database) =>
    withSettings(oursOn(database, name, title), tellsAll),
  );

const withSettings = (entry: ServerEntry, tellsAll: boolean): ServerEntry => ({
  ...entry,
  async prepare(setup) {
    const launch = await entry.prepare(setup);
    const [runtime = '', ...args] = launch.command;
    const preload = tellsAll ? ['--preload', PRELOADED] : [];
    return { ...launch, command: [runtime, ...preload, ...args], variables: SETTINGS };
  },
});

/** Creates an endpoint, and adds events that it is to get. Nobody's list changes. */
async function addDeliveries(
  workspace: Workspace,
  { entry }: RunningServer,
  url: string,
  count: number,
): Promise<void> {
  const path = copyFor(workspace, entry.name);
  const command = [BUN, 'src/main.ts', 'webhooks', 'create', url, '--database', path];
  await runOrFail(workspace, { command, variables: SETTINGS });
  const database = new Database(path, { strict: true });
  database.run('PRAGMA busy_timeout = 5000');
  const content = '{"data":{"id":7,"name":"Rex","categoryId":1}}';
  const event = { type: 'pet.updated', collection: 'pets', keyId: 1 } as const;
  const events = Array.from({ length: Math.ceil(count) }, (_, index) => ({
    ...{ ...event, resourceId: index + 1, at: Date.now(), content },
  }));
  database.transaction(() => appendEvents(new SqliteSql(database), events))();
  database.close();
}
