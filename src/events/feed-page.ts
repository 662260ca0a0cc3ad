import { DEFAULT_SORT } from '../http/contract/list-query.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import type { Int64 } from '../int64.ts';
import { describeEvent } from './event.ts';
import { DamagedEvent } from './event-content.ts';
import type { EventFilters } from './event-filters.ts';
import type { EventReader, ListedEvent } from './event-store.ts';
import { isKnown } from './feed-position.ts';

/** So that a page takes other requests about a millisecond. */
const PAGE_EVENTS = 100;

/** What is read after a position. */
export interface FeedSelection {
  readonly generation: string;
  readonly filters: EventFilters;
  readonly withKeys: boolean;
}

/** An event as text of a stream. */
export interface FormattedEvent {
  readonly position: Int64;
  readonly type: string;
  readonly subject: string;
  readonly isOfKey: boolean;
  /** Empty if the event is damaged. */
  readonly bytes: Uint8Array;
  readonly damage?: DamagedEvent;
}

export interface FeedPage {
  readonly events: readonly FormattedEvent[];
  /** The page has all selected events up to this position. */
  readonly position: Int64;
  /** Whether no event followed when the page was read. */
  readonly isLast: boolean;
}

/** Reads the next events after a position. Undefined if some of them are not known, or never will be. */
export async function readFeedPage(
  events: EventReader,
  { generation, filters, withKeys }: FeedSelection,
  position: Int64,
): Promise<FeedPage | undefined> {
  const before = await events.peek();
  if (!isKnown(before, generation, position)) return undefined;
  if (before.newest === position) return { events: [], position, isLast: true };
  const query = { filters, sort: DEFAULT_SORT };
  const found = await events.list(query, position, PAGE_EVENTS, withKeys);
  // Events may have been deleted in between, or the database restored.
  if (!isKnown(await events.peek(), generation, position)) return undefined;
  const isLast = found.length < PAGE_EVENTS;
  const last = found.at(-1)?.id ?? position;
  return {
    events: found.map((event) => format(event, generation)),
    position: isLast && before.newest > last ? before.newest : last,
    isLast,
  };
}

const encoder = new TextEncoder();

/** JSON has no line breaks, so the data is one line (html.spec.whatwg.org, server-sent events). */
function format(event: ListedEvent, generation: string): FormattedEvent {
  const { id: position, type, subject } = event;
  const formatted = { position, type, subject, isOfKey: subject.startsWith('api-keys/') };
  try {
    const described = describeEvent(event, generation);
    const text = `id: ${described.id}\nevent: ${type}\ndata: ${renderExactJson(described)}\n\n`;
    return { ...formatted, bytes: encoder.encode(text) };
  } catch (error) {
    if (!(error instanceof DamagedEvent)) throw error;
    return { ...formatted, bytes: encoder.encode(''), damage: error };
  }
}
