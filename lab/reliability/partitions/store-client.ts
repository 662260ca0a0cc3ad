import { bearer } from '../../../test/support/process.ts';

/** Longer than an instance takes to refuse a request that it cannot serve (`REQUEST_TIMEOUT`). */
export const RESPONSE_LIMIT_MS = 40_000;

/** What clients may get while hosts fail: success, conflicts with each other, and that the service or HAProxy cannot serve now. */
const EXPECTED = [200, 201, 409, 412, 502, 503, 504];

export interface Answer {
  readonly status: number;
  /** The entity tag. */
  readonly tag: string;
  readonly json: unknown;
}

/** Sends requests to instances that may be gone. */
export class StoreClient {
  /** Requests that had no response in time, or one that no failure of a host explains, as sentences. */
  readonly problems: string[] = [];

  constructor(readonly key: string) {}

  /** Resolves with undefined if the connection is lost. */
  async send(
    origin: string,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    try {
      const response = await fetch(`${origin}/v1${path}`, {
        method,
        headers: { ...bearer(this.key).headers, 'Content-Type': contentType, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
      });
      const { status } = response;
      const text = await response.text();
      if (!EXPECTED.includes(status)) this.problems.push(`${method} ${path}: ${status} ${text}`);
      // HAProxy answers with HTML.
      const json: unknown = status < 500 ? JSON.parse(text) : undefined;
      return { status, tag: response.headers.get('etag') ?? '', json };
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'TimeoutError')
        this.problems.push(`${method} ${path} had no response after ${RESPONSE_LIMIT_MS} ms`);
      if (name === 'SyntaxError') this.problems.push(`${method} ${path}: ${message}`);
      return undefined;
    }
  }
}
