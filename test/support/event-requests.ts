import type { TestService } from './service.ts';

/** An event as a client receives it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly timestamp: string;
  readonly actor: object;
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous?: Readonly<Record<string, unknown>>;
  readonly withheld?: readonly string[];
}

/** An event without what differs for each: its id and its time. */
export const essenceOf = ({ id, timestamp, ...essence }: ReceivedEvent) => essence;

/** More than any test has. */
const MAX_EVENTS = 10_000;

/** All events of a service, read page by page. @param query with a leading ampersand. */
export async function readEvents(
  service: Pick<TestService, 'request'>,
  query = '',
  limit = 100,
): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for (let url: string | undefined = `/v1/events?limit=${limit}${query}`; url !== undefined; ) {
    const { json, status, headers } = await service.request('GET', url);
    if (status !== 200) throw new Error(JSON.stringify(json));
    events.push(...(json as ReceivedEvent[]));
    if (events.length > MAX_EVENTS) throw new Error('The pages have no end.');
    const next = /<[^>]*(\/v1\/[^>]*)>; rel="next"/.exec(headers.get('link') ?? '');
    url = next?.[1];
  }
  return events;
}
