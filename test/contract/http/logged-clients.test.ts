/** The log names the client of a request: its trace context, and its address if the operator wants that. */
import { afterEach, describe, expect, test } from 'bun:test';
import { parseTraceparent } from '../../../src/http/request/trace-context.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { listen, type SocketService } from '../../support/socket.ts';

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

describe('the line of a request', () => {
  let service: SocketService;
  afterEach(() => service.close());

  /** Starts the service, sends a request with these headers, and returns its line. */
  async function lineOf(
    flags: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    service = await listen(flags);
    const url = `${service.origin}/v1/pets`;
    await fetch(url, { headers: { Authorization: `Bearer ${service.key}`, ...headers } });
    const lines: string[] = [];
    const log = createLogger({
      level: 'info',
      source: { version: '1.2.3', instance: 'store-1', pid: 1, worker: undefined },
      clock: { now: () => 0 },
      destination: { write: (line) => void lines.push(line) },
    });
    for (const one of service.observed) log(one);
    return JSON.parse(lines.find((line) => line.includes('"request"')) ?? '');
  }

  test('has the ids of the trace and of the span of the client', async () => {
    const line = await lineOf({}, { traceparent: `00-${TRACE}-${SPAN}-01` });
    expect(line).toMatchObject({ trace_id: TRACE, span_id: SPAN });
  });

  test('has no address and no trace by default', async () => {
    const line = await lineOf({ trustProxy: 'on' }, { 'X-Forwarded-For': '192.0.2.7' });
    expect(line).not.toContainAnyKeys(['client.address', 'trace_id', 'span_id']);
  });

  test('has the address that a trusted proxy names', async () => {
    const flags = { logClientAddress: 'on', trustProxy: 'on' };
    const line = await lineOf(flags, { 'X-Forwarded-For': 'a", 2001:DB8::0:7' });
    expect(line).toMatchObject({ 'client.address': '2001:db8::7' });
  });
});
