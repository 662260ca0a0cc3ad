/** Receives webhooks, and keeps each event once: docs/recipes.md. It runs with Bun. */
import { Database } from 'bun:sqlite';
import { renderJson, verifyWebhook, WebhookVerificationError } from '@animal-store/client';

const { PORT, SECRET = '' } = process.env;
const inbox = new Database('inbox.db');
inbox.exec('PRAGMA busy_timeout = 5000');
inbox.exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT)');
const add = inbox.query('INSERT OR IGNORE INTO events VALUES (?, ?)');

async function fetch(request: Request): Promise<Response> {
  const body = await request.text();
  // A new endpoint is asked before its secret is known. The service repeats everything else.
  if (!SECRET) return new Response(null, { status: JSON.parse(body).type === 'ping' ? 204 : 503 });
  try {
    const event = await verifyWebhook(body, request.headers, SECRET.split(' '));
    if (add.run(event.id, renderJson(event)).changes > 0) console.log(event.type, event.id);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.message, { status: 400 });
  }
}
Bun.serve({ port: PORT, hostname: '127.0.0.1', fetch });
