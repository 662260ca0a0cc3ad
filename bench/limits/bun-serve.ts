/**
 * The limit of the runtime: Bun.serve that answers every request with the bytes and headers of one
 * answer and does nothing else. PORT and REPLY (a file that holds a `Reply`) are given by the environment.
 */
import { readFileSync } from 'node:fs';
import type { Reply } from '../server.ts';

const { status, headers, body }: Reply = JSON.parse(
  readFileSync(process.env['REPLY'] ?? '', 'utf8'),
);
const init = { status, headers: new Headers(headers.map(([name, value]) => [name, value])) };

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch: () => new Response(body, init),
});
