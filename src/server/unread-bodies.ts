import { setTimeout as sleep } from 'node:timers/promises';

/** For a client that stops in the middle of its body. */
const MAX_WAIT_MS = 5_000;

/** Whether a request was refused before its body was read. */
export const hasUnreadBody = (request: Request): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && !request.bodyUsed;

/** Whether the runtime closes the connection after the response. */
export const asksForClose = ({ headers }: Request): boolean =>
  /\bclose\b/i.test(headers.get('connection') ?? '');

/**
 * Reads the body of a refused request, and drops it. If the connection closed while the client still sends, the system would
 * reset it. The client could lose the response (RFC 9112, 9.6).
 */
export async function dropBody({ body }: Request): Promise<void> {
  // It fails if the client has closed the connection.
  const dropped = body?.pipeTo(new WritableStream()).catch(() => {});
  await Promise.race([dropped, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
}
