import type { EventStream } from './event-stream.ts';
import type { FeedPage, FormattedEvent } from './feed-page.ts';

/** The most that a stream leaves in the memory of this process when its client stops reading, unless one event is larger. */
export const MAX_CHUNK_BYTES = 32 * 1024;

/** The runtime collects smaller chunks of one turn, and does not say that the client takes no more. */
const FULL_CHUNK_BYTES = 16 * 1024;

/** Used again for each chunk: the runtime copies what it sends later. */
const chunk = new Uint8Array(MAX_CHUNK_BYTES);

/**
 * Sends the events of a page that the stream selects and does not have, until the client takes no more. Moves the position of the stream.
 * Ends the stream before an event that is damaged: a later event would hide the gap.
 */
export function sendPage(stream: EventStream, { events, position }: FeedPage): void {
  const all = events.filter((event) => isSelected(stream, event));
  const damaged = all.findIndex(({ damage }) => damage !== undefined);
  const selected = damaged === -1 ? all : all.slice(0, damaged);
  for (let start = 0; start < selected.length; ) {
    if (!stream.isReady) return;
    const end = endOfChunk(selected, start);
    stream.position = selected[end - 1]?.position ?? position;
    stream.sentEvents += end - start;
    stream.send(join(selected, start, end));
    start = end;
  }
  if (damaged !== -1) stream.end('unavailable');
  else if (stream.position < position) stream.position = position;
}

/** At least one event is in a chunk. */
function endOfChunk(events: readonly FormattedEvent[], start: number): number {
  let size = 0;
  let end = start;
  while (end < events.length && size < FULL_CHUNK_BYTES) {
    size += events[end]?.bytes.length ?? 0;
    if (size > MAX_CHUNK_BYTES && end > start) break;
    end += 1;
  }
  return end;
}

function join(events: readonly FormattedEvent[], start: number, end: number): Uint8Array {
  const first = events[start]?.bytes;
  if (end === start + 1 && first !== undefined) return first;
  let size = 0;
  for (const { bytes } of events.slice(start, end)) {
    chunk.set(bytes, size);
    size += bytes.length;
  }
  return chunk.subarray(0, size);
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
