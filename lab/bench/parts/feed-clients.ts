import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailed } from '../failure.ts';
import { bearer, type RunningServer } from '../server.ts';

/** Streams of events that are open. */
export interface OpenStreams {
  /** Waits until this many events were received since the last call, at most so long. Returns how many were. */
  take(expected: number, timeoutMs: number): Promise<number>;
  close(): void;
}

/** Opens streams of events, each on a connection of its own, and counts what they receive. */
export async function openStreams(
  { origin, key }: RunningServer,
  count: number,
): Promise<OpenStreams> {
  const abort = new AbortController();
  let received = 0;
  for (let opened = 0; opened < count; opened += 1) {
    const response = await fetch(`${origin}/v1/events/stream`, {
      headers: bearer(key),
      signal: abort.signal,
    });
    if (!response.ok || response.body === null)
      throw new BenchFailed(`A stream of events was refused: ${response.status}.`);
    countEvents(response.body, () => {
      received += 1;
    }).catch(() => {}); // Ends when the streams are closed. A missing event is noticed.
  }
  return {
    async take(expected, timeoutMs) {
      for (let waited = 0; received < expected && waited < timeoutMs; waited += 10) await sleep(10);
      const taken = received;
      received = 0;
      return taken;
    },
    close: () => abort.abort(),
  };
}

async function countEvents(body: ReadableStream<Uint8Array>, onEvent: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (event.includes('\ndata: ')) onEvent();
  }
}

export async function renameCategory({ origin, key }: RunningServer, name: string): Promise<void> {
  const response = await fetch(`${origin}/v1/categories/1`, {
    method: 'PUT',
    headers: { ...bearer(key), 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new BenchFailed(`A change was refused: ${response.status}.`);
  await response.body?.cancel();
}
