import type { Int64 } from '../int64.ts';
import type { EventStream } from './event-stream.ts';
import type { FeedPage, FormattedEvent } from './feed-page.ts';

const encoder = new TextEncoder();

/** Sends events that the stream selects. */
export function sendEvents(stream: EventStream, events: readonly FormattedEvent[]): void {
  if (events.length === 0) return;
  stream.sentEvents += events.length;
  stream.send(encode(events));
}

const encode = (events: readonly FormattedEvent[]): Uint8Array =>
  encoder.encode(events.map(({ text }) => text).join(''));

/**
 * Sends a page of the feed to those streams that select its events. Streams with equal filters share the bytes.
 * @param from the position before the page.
 */
export function fanOut(streams: Iterable<EventStream>, page: FeedPage, from: Int64): void {
  const selections = new Map<string, Selection>();
  for (const stream of [...streams]) {
    const select = () => page.events.filter((event) => isSelected(stream, event));
    if (stream.position > from) sendEvents(stream, select());
    else sendSelection(stream, sharedBy(stream, selections, select));
    if (stream.position < page.position) stream.position = page.position;
  }
}

interface Selection {
  readonly count: number;
  readonly chunk: Uint8Array;
}

function sharedBy(
  { request: { filters, withKeys } }: EventStream,
  selections: Map<string, Selection>,
  select: () => readonly FormattedEvent[],
): Selection {
  const text = JSON.stringify([filters.type, filters.subject, withKeys]);
  const known = selections.get(text);
  if (known !== undefined) return known;
  const events = select();
  const selection = { count: events.length, chunk: encode(events) };
  selections.set(text, selection);
  return selection;
}

function sendSelection(stream: EventStream, { count, chunk }: Selection): void {
  if (count === 0) return;
  stream.sentEvents += count;
  stream.send(chunk);
}

function isSelected(
  { position, request: { filters, withKeys } }: EventStream,
  event: FormattedEvent,
): boolean {
  const { type, subject } = filters;
  return (
    event.position > position &&
    (withKeys || !event.isOfKey) &&
    (subject === undefined || subject === event.subject) &&
    (type === undefined || (type as readonly string[]).includes(event.type))
  );
}
