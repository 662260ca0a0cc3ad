import { write } from 'node:fs';
import { type AnyElysia, ElysiaStatus } from 'elysia';

const FLUSH_MS = 50;

let lastMs = 0;
let lastTime = '';

/** The time is written once for all requests of a millisecond. */
function now(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastTime = new Date(ms).toISOString();
  }
  return lastTime;
}

const start = Math.random().toString(36).slice(2);
let count = 0;

/** A counter is faster than random ids. */
function nextId(): string {
  count += 1;
  return `${start}-${count}`;
}

/** Lines wait for their batch: a write for each would cost more than the request. */
let lines = '';
let isWaiting = false;

function log(line: string): void {
  lines += line;
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    write(1, lines, () => {});
    lines = '';
  }, FLUSH_MS);
}

interface Context {
  readonly request: Request;
  readonly path: string;
  startMs: number;
}

/** Adds what the service does, too: a tag of each body, 304 for a tag that the client has, a request id and a line of log. */
export function addLogAndTags(app: AnyElysia): void {
  app.onRequest((context) => {
    (context as unknown as Context).startMs = performance.now();
  });
  app.mapResponse((context) => {
    const { responseValue } = context;
    if (responseValue instanceof Response) return;
    const { code, response } =
      responseValue instanceof ElysiaStatus
        ? responseValue
        : { code: 200, response: responseValue };
    const { request, path, startMs } = context as unknown as Context;
    const id = nextId();
    const body = JSON.stringify(response);
    const etag = `"${Bun.hash(body).toString(36)}"`;
    const isKnown = request.headers.get('if-none-match') === etag;
    const status = isKnown ? 304 : Number(code);
    const durationMs = (performance.now() - startMs).toFixed(3);
    log(
      `{"time":"${now()}","requestId":"${id}","method":"${request.method}","path":"${path}","status":${status},"durationMs":${durationMs}}\n`,
    );
    const headers = { 'content-type': 'application/json', etag, 'x-request-id': id };
    return new Response(isKnown ? null : body, { status, headers });
  });
}
