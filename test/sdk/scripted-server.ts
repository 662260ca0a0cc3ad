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
  return {
    baseUrl: `${server.url.origin}/v1`,
    requests,
    /** The values of a header in the requests. */
    sent: (name: string) => requests.map(({ headers }) => headers.get(name)),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}
