import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamRequest } from '../../src/events/event-stream.ts';
import { StreamReader } from '../support/event-stream.ts';
import {
  type RequestOptions,
  startService,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';

const REX = { name: 'Rex', categoryId: 1 };

/** A request for a stream that nobody sends. */
export const STREAM_REQUEST: StreamRequest = {
  ...{ requestId: 'request', keyId: 1, filters: {}, withKeys: true },
  ...{ generation: '00000000', position: 1, greeting: '' },
};

/** A service whose streams a test reads. The service looks for new events only if the test lets it. */
export interface StreamedService extends TestService {
  readonly streams: TestService['app']['streams'];
  /** Sends a request for a stream. */
  ask(query?: string, options?: RequestOptions, method?: string): Promise<Response>;
  /** Opens a stream, and waits until it has begun. */
  open(query?: string, options?: RequestOptions): Promise<StreamReader>;
  /** Adds animals, one request each. */
  addRex(count?: number): Promise<void>;
  /** Looks for new events once. */
  poll(): Promise<void>;
  /** Looks for new events until a stream has this many. */
  receive(reader: StreamReader, count: number): Promise<void>;
  ends(): string[];
}

export async function startStreamedService(options?: TestServiceOptions): Promise<StreamedService> {
  const service = await startService(options);
  const readers: StreamReader[] = [];
  const { streams } = service.app;
  const streamed: StreamedService = {
    ...service,
    streams,

    async ask(query = '', { key = service.key, headers = {} } = {}, method = 'GET') {
      const authorization = key !== null && { Authorization: `Bearer ${key}` };
      const url = `http://127.0.0.1/v1/events/stream${query}`;
      return service.app.fetch(
        new Request(url, { method, headers: { ...authorization, ...headers } }),
      );
    },

    async open(query, requestOptions) {
      const response = await streamed.ask(query, requestOptions);
      if (response.status !== 200) throw new Error(await response.text());
      const reader = new StreamReader(response);
      readers.push(reader);
      while (reader.others.length === 0) await sleep(0);
      return reader;
    },

    async addRex(count = 1) {
      for (let index = 0; index < count; index += 1)
        await service.request('POST', '/v1/pets', { body: REX });
    },

    async poll() {
      while (await service.database.sequenceEvents());
      await streams.poll();
      await sleep(0);
    },

    async receive(reader, count) {
      for (let turn = 0; reader.events.length < count; turn += 1) {
        if (turn === 500)
          throw new Error(`${reader.events.length} of ${count} events were received.`);
        await streamed.poll();
      }
    },

    ends: () =>
      service.observed.flatMap((each) => (each.kind === 'event_stream_ended' ? [each.reason] : [])),

    async close() {
      for (const reader of readers) await reader.close();
      await service.close();
    },

    [Symbol.asyncDispose]: () => streamed.close(),
  };
  return streamed;
}
