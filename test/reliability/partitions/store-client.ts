import { bearer } from '../../support/process.ts';

/** Longer than an instance takes to refuse a request that it cannot serve (`REQUEST_TIMEOUT`). */
const LIMIT_MS = 40_000;

export interface Answer {
  readonly status: number;
  /** The entity tag. */
  readonly tag: string;
  readonly json: unknown;
}

/** Sends requests to instances that may be gone. */
export class StoreClient {
  /** The requests without an end, as sentences. */
  readonly unanswered: string[] = [];

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
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      const json: unknown = await response.json();
      return { status: response.status, tag: response.headers.get('etag') ?? '', json };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        this.unanswered.push(`${method} ${path} had no response after ${LIMIT_MS} ms`);
      return undefined;
    }
  }
}
