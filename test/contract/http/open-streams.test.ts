/** The streams that are open, and those whose clients take no more. */
import { expect, test } from 'bun:test';
import { EventStream } from '../../../src/events/event-stream.ts';
import { OpenStreams } from '../../../src/events/open-streams.ts';
import { MAX_CHUNK_BYTES } from '../../../src/events/send-page.ts';
import { STREAM_REQUEST } from '../streamed-service.ts';

/** 32 MiB in all. */
const LIMIT = (32 * 1024 * 1024) / MAX_CHUNK_BYTES;

test('the stream that waits the longest ends if unsent events would need more than 32 MiB', () => {
  const streams = new OpenStreams(2 * LIMIT);
  const ends: string[] = [];
  const create = (requestId: string) =>
    new EventStream(
      { ...STREAM_REQUEST, requestId },
      {
        onStart: () => {},
        onBlocked: () => {},
        onDrained: () => {},
        onEnd(stream, reason) {
          ends.push(`${requestId} ${reason}`);
          streams.delete(stream);
        },
      },
    );
  const [drained, longest] = [create('drained'), create('longest')];
  streams.block(drained);
  streams.block(longest);
  for (let others = 1; others < LIMIT; others += 1) streams.block(create('other'));
  expect(ends).toEqual(['drained slow_reader']);
  streams.unblock(longest);
  streams.block(create('other'));
  expect(ends).toHaveLength(1);
  streams.block(longest);
  expect(ends.at(-1)).toBe('other slow_reader');
});

test('an API key has a stream, however few there may be', () => {
  expect(new OpenStreams(3).refusalFor(1)).toBeUndefined();
});
