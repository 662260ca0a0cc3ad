import type { Socket } from 'node:net';
import { ConnectionLost } from '../failures.ts';

/** ErrorResponse (postgresql.org/docs/current/protocol-message-formats.html): its type and the fields that we read. */
const ERROR_RESPONSE = 'E'.charCodeAt(0);
const SEVERITY = 'V';
/** PgBouncer sends no other. That of PostgreSQL is in the language of the server. */
const LOCALIZED_SEVERITY = 'S';
const MESSAGE = 'M';

/**
 * Listens for the reason that a server sends before it closes a connection. The driver drops it.
 * Returns a function that returns the reason, undefined if the server has sent none.
 */
export function listenForReason(socket: Socket): () => ConnectionLost | undefined {
  let last: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    last = chunk;
  });
  return () => {
    const reason = last && reasonAtEndOf(last);
    return reason === undefined
      ? undefined
      : new ConnectionLost(`the server closed the connection: ${reason}`);
  };
}

/** The server sends nothing after this message. */
function reasonAtEndOf(chunk: Buffer): string | undefined {
  for (
    let start = chunk.indexOf(ERROR_RESPONSE);
    start !== -1;
    start = chunk.indexOf(ERROR_RESPONSE, start + 1)
  ) {
    const body = start + 5;
    if (body > chunk.length || chunk.readInt32BE(start + 1) !== chunk.length - start - 1) continue;
    const fields = chunk.toString('utf8', body).split('\0');
    const find = (type: string) => fields.find((field) => field.startsWith(type))?.slice(1);
    const severity = find(SEVERITY) ?? find(LOCALIZED_SEVERITY) ?? '';
    if (['FATAL', 'PANIC'].includes(severity)) return find(MESSAGE);
  }
  return undefined;
}
