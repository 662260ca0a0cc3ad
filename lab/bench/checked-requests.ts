import type { RunningServer } from './server.ts';

/** One request of the check, and what is compared apart from the status. */
export interface CheckedRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the list of animals, such as `?limit=1` or `/17`. */
  readonly path: string;
  /** The Authorization header. Absent: the valid key. Null: no header. */
  readonly authorization?: string | null;
  readonly body?: string;
  readonly compare: 'body' | 'error' | 'created';
}

const list = (query: string, compare: 'body' | 'error' = 'body'): CheckedRequest => ({
  name: query === '' ? 'list' : `list ${query.slice(1)}`,
  method: 'GET',
  path: query,
  compare,
});

const animal = (id: string, compare: 'body' | 'error' = 'body'): CheckedRequest => ({
  name: `animal ${id}`,
  method: 'GET',
  path: `/${id}`,
  compare,
});

const create = (
  what: string,
  body: string,
  compare: 'created' | 'error' = 'error',
): CheckedRequest => ({ name: `create ${what}`, method: 'POST', path: '', body, compare });

export const REQUESTS: readonly CheckedRequest[] = [
  list(''),
  list('?limit=1'),
  list('?limit=100'),
  list('?limit=0', 'error'),
  list('?limit=101', 'error'),
  list('?limit=abc', 'error'),
  list('?status=available'),
  list('?status=nope', 'error'),
  { ...list('', 'error'), name: 'list without a key', authorization: null },
  { ...list('', 'error'), name: 'list with a wrong key', authorization: 'Bearer wrong' },
  animal('1'),
  animal('77777'),
  animal('999999999', 'error'),
  animal('abc', 'error'),
  create('valid', '{"name":"Check","categoryId":7,"status":"pending"}', 'created'),
  create('available', '{"name":"Søren","categoryId":1,"status":"available"}', 'created'),
  create('sold', '{"name":"Check","categoryId":50,"status":"sold"}', 'created'),
  create('without status', '{"name":"Check","categoryId":7}', 'created'),
  create('with an unknown field', '{"name":"Check","categoryId":7,"color":"red"}', 'created'),
  create('without name', '{"categoryId":7}'),
  create('with a bad status', '{"name":"Check","categoryId":7,"status":"lost"}'),
  create('with a string as categoryId', '{"name":"Check","categoryId":"7"}'),
  create('with malformed JSON', '{"name":"Check",'),
];

export interface ReceivedResponse {
  readonly status: number;
  readonly body: string;
}

export async function send(
  { origin, entry, key }: RunningServer,
  { method, path, authorization = `Bearer ${key}`, body }: CheckedRequest,
): Promise<ReceivedResponse> {
  const response = await fetch(`${origin}${entry.basePath}/pets${path}`, {
    method,
    headers: {
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.text() };
}
