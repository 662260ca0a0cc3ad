import { Database } from 'bun:sqlite';
import { appendEvents } from '../../../src/storage/sqlite/statements/append-events.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { BenchFailed } from '../failure.ts';
import type { Options } from '../options.ts';
import { oursOn } from '../ours.ts';
import { requireProcessorTime } from '../processor-time.ts';
import { machine, resultOf, toJson, writeResult } from '../results.ts';
import { measureInRounds } from '../rounds.ts';
import { ANIMALS } from '../rows.ts';
import type { Run, RunningServer, Sample } from '../server.ts';
import { renderWorkload } from '../table.ts';
import { WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { copyFor, startOnCopy } from './catalogue.ts';
import { type OpenStreams, openStreams, renameCategory } from './feed-clients.ts';
import { withInterval } from './other-interval.ts';
import { ratiosOf, renderRatios } from './paired.ts';

const STREAMS = 100;
const CHANGES_PER_SECOND = 5;
const TARGET = 0.95;

/** The interval of the job that deletes old events. The deleted events are counted, so it shows if that changes. */
const DELETION_INTERVAL_MS = 10 * 60 * 1_000;
const FREQUENT_MS = 100;

/** More than the job deletes in a run: 100 in at least 200 ms. */
const OLD_EVENTS = 500_000;
const ANIMALS_OF_EVENTS = 1_000;

/** Measures the hot list while the feed is pruned and 100 streams read it, and without both. Both servers get the same changes. */
export async function feed(workspace: Workspace, options: Options): Promise<void> {
  requireProcessorTime();
  const quiet = await startOn(workspace, 'quiet', false);
  const busy = await startOn(workspace, 'pruned-and-read', true);
  const streams = await openStreams(busy, STREAMS);
  workspace.onCleanup(() => streams.close());
  const measured = { deleted: 0, events: 0, changes: 0 };
  const measure = async (run: Run): Promise<Sample> => {
    const before = deletedEvents(workspace, busy);
    const { sample, changes } = await besideChanges(run);
    if (run.server !== busy) return sample;
    measured.deleted += deletedEvents(workspace, busy) - before;
    measured.events += await receivedAfter(streams, changes);
    measured.changes += changes;
    return sample;
  };
  const title = `Hot list, ${CHANGES_PER_SECOND} changes of a category per second`;
  const samples = await measureInRounds(workspace, { title, measure }, [quiet, busy], options);
  if (measured.deleted === 0) throw new BenchFailed('The service did not delete old events.');
  const result = resultOf('feed', title, samples);
  const ratios = ratiosOf(samples);
  const what = `${STREAMS} streams, which received ${measured.events} events of ${measured.changes} changes, and ${measured.deleted} events deleted`;
  console.log(renderWorkload(result));
  console.log(renderRatios(ratios, what, TARGET));
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), rounds, seconds };
  const json = toJson({ ...head, target: TARGET, ...result, ratios, measured });
  console.log(`Written: ${writeResult('feed.json', json)}.`);
}

const startOn = (workspace: Workspace, name: string, isPruned: boolean): Promise<RunningServer> =>
  startOnCopy(workspace, ANIMALS, name, (database) => {
    if (isPruned) addOldEvents(database);
    const title = isPruned ? `pruned, ${STREAMS} streams` : 'neither';
    const ours = oursOn(database, name, title);
    return isPruned ? withInterval(ours, DELETION_INTERVAL_MS, FREQUENT_MS) : ours;
  });

/** Replaces the events by events from 1970: only the oldest ones of a feed are deleted. */
function addOldEvents(path: string): void {
  const database = new Database(path, { strict: true });
  const sql = new SqliteSql(database);
  const change = { type: 'pet.updated', collection: 'pets', keyId: 1 } as const;
  const content = '{"data":{"id":7,"name":"Rex","categoryId":1}}';
  const changeAll = (at: number) =>
    Array.from({ length: ANIMALS_OF_EVENTS }, (_, index) => ({
      ...{ ...change, resourceId: index + 1, at, content },
    }));
  database.transaction(() => {
    database.run('DELETE FROM events');
    for (let at = 1; at <= OLD_EVENTS / ANIMALS_OF_EVENTS; at += 1)
      appendEvents(sql, changeAll(at));
  })();
  database.close();
}

function deletedEvents(workspace: Workspace, { entry }: RunningServer): number {
  const database = new Database(copyFor(workspace, entry.name), { readonly: true });
  const row = database.query('SELECT deleted_to AS deleted FROM event_feed').get();
  database.close();
  return (row as { deleted: number }).deleted;
}

/** Measures hot lists while the name of a category changes at a steady pace. */
async function besideChanges(run: Run): Promise<{ sample: Sample; changes: number }> {
  let changes = 0;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    changes += 1;
    const name = `Category ${run.number}-${changes}`;
    last = last.then(() => renameCategory(run.server, name));
  }, 1_000 / CHANGES_PER_SECOND);
  try {
    const sample = await WORKLOADS['hot-list'].measure(run);
    return { sample, changes };
  } finally {
    clearInterval(timer);
    await last;
  }
}

/** The events that the streams received for some changes. @throws BenchFailed if some are missing. */
async function receivedAfter(streams: OpenStreams, changes: number): Promise<number> {
  const expected = changes * STREAMS;
  const received = await streams.take(expected, 5_000);
  if (received !== expected)
    throw new BenchFailed(`The streams received ${received} of ${expected} events.`);
  return received;
}
