/** The SDK parses server-sent events as browsers do (HTML Standard, 9.2.6), wherever the network cuts them. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventParser, type StreamPosition } from '../../sdk/src/server-sent-events.ts';

/** What is in a text that comes in these parts: the id and the data of each event, and the delay. */
function parse(chunks: readonly Uint8Array[]) {
  const position: StreamPosition = {};
  const read = eventParser(position);
  const events: string[] = [];
  for (const chunk of chunks)
    for (const data of read(chunk)) events.push(`${position.lastId ?? null}\n${data}`);
  return { events, ...position };
}

const encode = (text: string) => new TextEncoder().encode(text);
const parseText = (text: string) => parse([encode(text)]);

test.each<[string, string, ReturnType<typeof parse>]>([
  ['an event', 'id: a\ndata: x\n\n', { events: ['a\nx'], lastId: 'a' }],
  ['one space is left out', 'data:  x \n\n', { events: ['null\n x '] }],
  ['no space', 'id:a\ndata:x\n\n', { events: ['a\nx'], lastId: 'a' }],
  ['several lines of data', 'data: x\ndata\ndata: y\n\n', { events: ['null\nx\n\ny'] }],
  ['a value with colons', 'id: a:b\ndata: ":": b\n\n', { events: ['a:b\n":": b'], lastId: 'a:b' }],
  ['comments', ': x\n:\ndata: x\n\n:\n\n', { events: ['null\nx'] }],
  ['unknown fields', 'event: e\nfoo: 1\ndata: x\n\n', { events: ['null\nx'] }],
  ['an id without an event', 'id: a\n\n', { events: [], lastId: 'a' }],
  ['an id that no blank line follows', 'id: a\n\nid: b\ndata: x\n', { events: [], lastId: 'a' }],
  ['an id with a NUL', 'id: a\n\nid: b\0\ndata: x\n\n', { events: ['a\nx'], lastId: 'a' }],
  ['a later event', 'id: a\ndata: x\n\ndata: y\n\n', { events: ['a\nx', 'a\ny'], lastId: 'a' }],
  ['a removed id', 'id: a\ndata: x\n\nid\ndata: y\n\n', { events: ['a\nx', '\ny'], lastId: '' }],
  ['a delay', 'retry: 2000\n\nretry: 1.5\nretry: soon\n\n', { events: [], retryMs: 2000 }],
  ['a byte order mark', '\ufeffdata: x\n\n', { events: ['null\nx'] }],
  ['separators of Unicode', 'data: a\u2028b\u0085c\n\n', { events: ['null\na\u2028b\u0085c'] }],
])('%s', (_name, text, expected) => {
  expect(parseText(text)).toEqual(expected);
});

const PARTS = ['data: ', 'id: ', 'retry: 7', ':', 'ä🦈', 'x', '\n', '\r', '\r\n', '\n\n', '\ufeff'];
const text = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 40 })
  .map((parts) => `${parts.join('')}\n\n`);

test('the parts in which a text comes do not matter, nor do the ends of its lines', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
      const bytes = encode(whole);
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
        (a, b) => a - b,
      );
      const chunks = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
      expect(parse(chunks)).toEqual(parseText(whole));
      expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parseText(whole));
      const normal = whole.replaceAll(/\r\n|\r/g, '\n');
      expect(parseText(whole)).toEqual(parseText(normal));
      expect(parseText(normal.replaceAll('\n', '\r\n'))).toEqual(parseText(normal));
    }),
    { numRuns: 500 },
  );
});
