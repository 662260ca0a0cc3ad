import { ERRORS } from '../../../src/http/contract/errors.ts';
import { requireDocumented } from '../../../test/support/documented.ts';
import { HIDDEN } from './framing.ts';
import type { FuzzedRequest } from './requests.ts';
import { headerOf, type RawResponse } from './responses.ts';

/** Refusals of the runtime, which have no body (docs/failures.md). */
const BY_RUNTIME = new Set([400, 413, 431, 505]);

/** Whether the runtime sent this response. The service never saw the request. */
export const isByRuntime = (response: RawResponse): boolean =>
  headerOf(response, 'x-request-id') === undefined &&
  BY_RUNTIME.has(response.status) &&
  response.body.length === 0;

/** Headers of the connection, which the document does not have. */
const OF_CONNECTION = new Set(['date', 'transfer-encoding', 'connection', 'keep-alive']);

/** What is wrong with a response to any request, well framed or not. */
export function problemsOf(response: RawResponse): string[] {
  if (isByRuntime(response)) return [];
  const { status, body } = response;
  const problems: string[] = [];
  // The fuzzed service has no key for webhooks: with one, it would send pings to random addresses.
  if (status >= 500 && !body.includes('"webhooks_unavailable"'))
    problems.push(`the status is ${status}: ${body}`);
  if (headerOf(response, 'x-request-id') === HIDDEN)
    problems.push('a request in the body of another request was executed');
  // A document is compressed if the client wants it.
  if (headerOf(response, 'content-encoding') !== undefined) return problems;
  if (headerOf(response, 'content-type') === 'application/json' && body.length > 0)
    problems.push(...problemsOfJson(status, body.toString()));
  else if (status >= 400 && body.length > 0) problems.push(`the error has no JSON: ${body}`);
  return problems;
}

function problemsOfJson(status: number, text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`the body is not JSON: ${text.slice(0, 200)}`];
  }
  if (status < 400) return [];
  const { code, message, status: repeated, ...rest } = Object(value);
  const known = Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined;
  const isError =
    known?.status === status &&
    repeated === status &&
    typeof message === 'string' &&
    message !== '' &&
    Object.keys(rest).length === 0;
  return isError ? [] : [`status ${status} has another body than Error: ${text.slice(0, 200)}`];
}

/** What is wrong with the response to a well framed request: also, if it differs from the OpenAPI document. */
export async function problemsOfAnswer(
  request: FuzzedRequest,
  response: RawResponse,
): Promise<string[]> {
  const problems = problemsOf(response);
  if (isByRuntime(response)) {
    return [`the runtime refused it with ${response.status}`];
  }
  const id = headerOf(response, 'x-request-id');
  if (id !== request.id) problems.push(`it got the response to ${id}`);
  if (problems.length > 0 || !request.isDocumented) return problems;
  try {
    await requireDocumented(fetchRequestOf(request), testResponseOf(response));
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function fetchRequestOf({ method, target, body }: FuzzedRequest): Request {
  const isBodiless = ['GET', 'HEAD', 'TRACE'].includes(method);
  return new Request(`http://127.0.0.1${target}`, {
    method: method === 'TRACE' ? 'OPTIONS' : method,
    ...(isBodiless || body === undefined ? {} : { body: new Uint8Array(body) }),
  });
}

const testResponseOf = ({ status, headers, body }: RawResponse) => ({
  status,
  headers: new Headers(
    headers.filter(([name]) => !OF_CONNECTION.has(name)).map(([name, value]) => [name, value]),
  ),
  text: body.toString(),
  json: undefined,
  code: undefined,
  etag: '',
  next: undefined,
});
