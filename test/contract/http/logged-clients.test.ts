/** The log names the client of a request: its trace context, and its address if the operator wants that. */
import { describe, expect, test } from 'bun:test';
import { parseTraceparent } from '../../../src/http/request/trace-context.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { listen } from '../../support/socket.ts';

type RequestObservation = Extract<Observation, { kind: 'request' }>;

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent (W3C Trace Context)', () => {
  test.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`],
    ['with unknown flags', `00-${TRACE}-${SPAN}-ff`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`],
    ['of a later version with more fields', `01-${TRACE}-${SPAN}-01-what-the-future-brings`],
  ])('%s is parsed', (_what, header) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN });
  });

  test.each([
    ['missing', null],
    ['empty', ''],
    ['in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more fields', `00-${TRACE}-${SPAN}-01-more`],
    ['of a later version with a longer flags field', `01-${TRACE}-${SPAN}-01x`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['with a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['without flags', `00-${TRACE}-${SPAN}`],
    ['repeated', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['that would break the line', `00-${TRACE}-${SPAN}-01","level":"error`],
  ])('%s is ignored', (_what, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

/** The client that the service observes in a request with these headers. */
async function clientOf(flags: Record<string, string>, headers: Record<string, string>) {
  await using service = await listen(flags);
  const url = `${service.origin}/v1/pets`;
  await fetch(url, { headers: { Authorization: `Bearer ${service.key}`, ...headers } });
  const observed = service.observed.find(({ kind }) => kind === 'request') as RequestObservation;
  return { trace: observed.trace, address: observed.clientAddress };
}

test.each<[Record<string, string>, Record<string, string>, object]>([
  [{}, { traceparent: `00-${TRACE}-${SPAN}-01` }, { trace: { traceId: TRACE, spanId: SPAN } }],
  [{ trustProxy: 'on' }, { 'X-Forwarded-For': '192.0.2.7' }, {}],
  [
    { logClientAddress: 'on', trustProxy: 'on' },
    { 'X-Forwarded-For': 'a", 2001:DB8::0:7' },
    { address: '2001:db8::7' },
  ],
])('with %j, a request with %j is of the client %j', async (flags, headers, client) => {
  expect(await clientOf(flags, headers)).toEqual({
    trace: undefined,
    address: undefined,
    ...client,
  });
});
