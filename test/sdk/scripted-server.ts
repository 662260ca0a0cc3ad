import { AnimalStore, type AnimalStoreOptions } from '../../sdk/src/index.ts';
import { RequestCore } from '../../sdk/src/request-core.ts';

export const COUNTS = { available: 0, pending: 0, sold: 0, unset: 0 };
export const counts = () => Response.json(COUNTS);

export const error =
  (status: number, code?: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(code && JSON.stringify({ code, message: 'Failed.', status }), { status, headers });
export const busy = (seconds: number) => error(503, undefined, { 'Retry-After': String(seconds) });

/** An HTTP server on a free port of 127.0.0.1 that gives these responses in turn, the last one forever. */
export function startScriptedServer(...responses: readonly (() => Response)[]) {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const respond = responses[Math.min(requests.length, responses.length - 1)];
      // Copied because the runtime empties a request after its response.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      return respond?.() ?? new Response();
    },
  });
  const baseUrl = `${server.url.origin}/v1`;
  return {
    baseUrl,
    requests,
    connect: (options: Partial<AnimalStoreOptions> = {}) =>
      new AnimalStore({ baseUrl, apiKey: 'secret', ...options }),
    /** The values of a header in the requests. */
    sent: (name: string) => requests.map(({ headers }) => headers.get(name)),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** The core of a client of such a server. Its delays are recorded instead of waited for. */
export function startScriptedCore(
  responses: readonly (() => Response)[],
  options: Partial<AnimalStoreOptions> = {},
  random = 0.5,
) {
  const server = startScriptedServer(...responses);
  const delays: number[] = [];
  const sleep = async (delayMs: number, ...signals: readonly (AbortSignal | undefined)[]) => {
    delays.push(delayMs);
    for (const signal of signals) signal?.throwIfAborted();
  };
  const core = new RequestCore(
    { baseUrl: server.baseUrl, apiKey: 'key', ...options },
    { now: () => 0, random: () => random, sleep },
  );
  return { ...server, delays, core };
}
