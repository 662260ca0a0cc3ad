import { setTimeout as sleep } from 'node:timers/promises';
import type { EventFilters } from '../events/event-filters.ts';
import { formatEventId } from '../events/event-id.ts';
import type { Feed, ListedEvent } from '../events/event-store.ts';
import { isKnown } from '../events/feed-position.ts';
import type { Int64 } from '../int64.ts';
import type { Database } from '../storage/database.ts';
import { CommandFailed } from './failures.ts';
import { interruptible } from './interrupts.ts';

export const PAGE = 1_000;
const POLL_MS = 500;

/** Where to begin. */
interface Start {
  readonly filters: EventFilters;
  /** The feed before the first event that is passed on. */
  readonly feed: Feed;
  /** A position of this feed. */
  readonly after: Int64;
}

/**
 * Passes on the events after a position as they come, until a signal ends it, or `print` resolves with false.
 * @throws CommandFailed if an event may be missing
 * @throws StorageError if the database cannot be read for longer than its timeout
 */
export const followEvents = (
  database: Database,
  start: Start,
  print: (events: readonly ListedEvent[]) => Promise<boolean>,
): Promise<void> =>
  interruptible(async (signal) => {
    // A database or a reader of the output that pauses must not delay the end.
    const isEnded = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false));
    });
    const pages = newEvents(database, start);
    const passOn = async () => {
      const { value = [] } = await pages.next();
      return value.length === 0 || print(value);
    };
    while (await Promise.race([isEnded, passOn()]));
  });

/** The events after a position, page by page, without an end. Pages can be empty. */
export async function* newEvents(
  database: Database,
  { filters, feed, after }: Start,
): AsyncGenerator<readonly ListedEvent[], undefined> {
  const { events } = database.read;
  let position = after;
  // A list that is read now contains all events up to here.
  let { newest } = feed;
  for (;;) {
    // A file that was replaced stays readable. Reads of PostgreSQL wait for a server that is back soon.
    if (database.readsSynchronously) await database.checkHealth();
    const page = await events.list({ filters, sort: 'id' }, position, PAGE, true);
    // Afterwards: events may have been deleted in between.
    const now = await events.feed();
    if (!isKnown(now, feed.generation, position)) throw gapAfter(feed, position, now);
    yield page;
    const last = page.at(-1)?.id ?? position;
    const isWhole = page.length < PAGE;
    // Also beyond events that no filter selects: their deletion leaves no gap.
    position = isWhole && newest > last ? newest : last;
    newest = now.newest;
    if (isWhole) await sleep(POLL_MS);
  }
}

function gapAfter({ generation }: Feed, position: Int64, now: Feed): CommandFailed {
  // Another generation, or a server that has lost the newest.
  const areOthers = now.generation !== generation || now.newest < position;
  const cause = areOthers
    ? 'the database was restored, copied or replaced'
    : 'they were deleted because of their age';
  const place = position > 0 ? ` after ${formatEventId({ generation, position })}` : '';
  return new CommandFailed(`Events${place} are missing: ${cause}. Start again without --since.`);
}
