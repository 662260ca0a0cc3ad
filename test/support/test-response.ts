import { parseExactJson } from '../../src/http/request/exact-json.ts';

/** A response with its body read. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed exactly (see exact-json.ts). Undefined if it is not JSON. */
  readonly json: unknown;
  /** The error code of the body, if it has one. */
  readonly code: string | undefined;
  /** The entity tag, empty if the response has none. */
  readonly etag: string;
  /** The path of the next page, if the response links to one under the configured base URL. */
  readonly next: string | undefined;
}

/** Reads the whole response, of a stream only its first text. */
export async function readResponse(response: Response): Promise<TestResponse> {
  const { status, headers } = response;
  const isStream = headers.get('content-type') === 'text/event-stream';
  const text = isStream ? await firstText(response) : await response.text();
  const isJson = headers.get('content-type') === 'application/json' && text !== '';
  const json = isJson ? parseExactJson(text) : undefined;
  const code = (json as { code?: string } | undefined)?.code;
  const link = headers.get('link') ?? '';
  const next = /^<https:\/\/store\.test(\/v1\/[^>\s]+)>; rel="next"$/.exec(link)?.[1];
  return { status, headers, text, json, code, etag: headers.get('etag') ?? '', next };
}

/** Closes the stream. */
async function firstText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
