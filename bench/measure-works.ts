import { renderChart } from './chart.ts';
import { differences } from './check-peers.ts';
import { BenchFailed } from './failure.ts';
import { install } from './install.ts';
import type { Options } from './options.ts';
import { replyOf, startOurs } from './ours.ts';
import type { Place } from './place.ts';
import { startPostgres } from './postgres.ts';
import { fallen, record } from './recorded.ts';
import { machine, resultOf, toJson, type WorkResult, writeResult } from './results.ts';
import { measureInRounds } from './rounds.ts';
import { ANIMALS, rowsFile } from './rows.ts';
import { type Given, type RunningServer, type ServerEntry, startServer } from './server.ts';
import { SERVERS } from './servers.ts';
import { renderWork } from './table.ts';
import { POSTGRES_WORKS, type WorkName } from './work-names.ts';

/** Measures works on ours and the other servers, and tells of it on the terminal and in files. */
export async function measureWorks(place: Place, options: Options): Promise<void> {
  const { works } = options;
  const servers = await startAll(place, options);
  const results: WorkResult[] = [];
  for (const work of works) {
    const result = resultOf(work, await measureInRounds(place, work, servers, options));
    console.log(renderWork(result));
    results.push(result);
  }
  report(results, options);
}

function report(results: readonly WorkResult[], { name, rounds, seconds, ...options }: Options) {
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), rounds, seconds, works: results });
  const files = [
    writeResult(`${name}.json`, json),
    writeResult(`${name}.svg`, renderChart(results)),
  ];
  console.log(`Written: ${files.join(', ')}.`);
  if (options.record) record(results);
  const sentences = options.check ? fallen(results) : [];
  if (sentences.length > 0) throw new BenchFailed(sentences.join('\nbench: '));
}

/** Ours first: the others are given its key, and the limits its answer. */
async function startAll(place: Place, { against, works }: Options): Promise<RunningServer[]> {
  const rows = await rowsFile(ANIMALS);
  const { server: ours, key } = await startOurs(place, rows);
  const hotReply = await replyOf(ours.origin + ours.paths.hotList, key);
  const given = { rows, key, hotReply, ...(await postgresFor(place, works)) };
  const running = [ours];
  for (const entry of SERVERS) {
    const isAsked = entry.kind === 'ours' || against.includes(entry.name);
    if (!isAsked || !entry.works.some((work) => works.includes(work))) continue;
    const server = await startPeer(place, entry, ours, given);
    if (server !== undefined) running.push(server);
  }
  return running;
}

const postgresFor = async (place: Place, works: readonly WorkName[]) =>
  works.some((work) => POSTGRES_WORKS.includes(work))
    ? { postgres: await startPostgres(place) }
    : {};

/** A server that cannot be installed or started, or answers otherwise than ours, is left out, and why is said. */
async function startPeer(
  place: Place,
  entry: ServerEntry,
  ours: RunningServer,
  given: Given,
): Promise<RunningServer | undefined> {
  const leaveOut = (why: string): undefined => {
    console.error(`Without ${entry.name}: ${why}`);
  };
  const missing = entry.missing?.() ?? (await installAll(place, entry.packages));
  if (missing !== undefined) return leaveOut(missing);
  try {
    const server = await startServer(place, entry, given);
    const found = await differences(ours, server);
    if (found.length === 0) return server;
    await server.process.stop();
    return leaveOut(`it answers otherwise than ours.\n  ${found.join('\n  ')}`);
  } catch (error) {
    if (error instanceof BenchFailed) return leaveOut(error.message);
    throw error;
  }
}

async function installAll(place: Place, packages: readonly string[]): Promise<string | undefined> {
  for (const name of packages) {
    const failure = await install(place, name);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
