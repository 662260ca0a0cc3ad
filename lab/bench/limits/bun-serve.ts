/**
 * The limit of the runtime: Bun.serve sends the same response to every request. Environment
 * variables: PORT, and RESPONSE, a file with a `RecordedResponse`.
 */
import { readFileSync } from 'node:fs';
import type { RecordedResponse } from '../server.ts';

const { status, headers, body }: RecordedResponse = JSON.parse(
  readFileSync(process.env['RESPONSE'] ?? '', 'utf8'),
);
const init = { status, headers: new Headers(headers.map(([name, value]) => [name, value])) };

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch: () => new Response(body, init),
});
