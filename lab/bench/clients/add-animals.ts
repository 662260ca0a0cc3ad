/**
 * Adds animals over HTTP in batches, with plain `fetch`: each connection sends its next batch after the response to the one
 * before. Ends after the given number of animals or seconds. Prints how many were added, and how long it took.
 */
import { argv } from 'node:process';

const [origin = '', key = '', size = '', connections = '', total = '', seconds = ''] =
  argv.slice(2);

/** Bodies are made before the measurement, and sent again after this many. */
const BODIES = 64;
const CATEGORIES = 50;
const STATUSES = ['available', 'pending', 'sold', undefined];

const bodies = Array.from({ length: BODIES }, (_, body) => {
  const pets = Array.from({ length: Number(size) }, (_, index) => {
    const row = body * Number(size) + index;
    // All categories with all statuses: the step has no divisor in common with their number.
    const combination = (row * 77) % (CATEGORIES * STATUSES.length);
    const categoryId = 1 + (combination % CATEGORIES);
    const status = STATUSES[Math.floor(combination / CATEGORIES)];
    return { name: `Batch ${row}`, categoryId, status };
  });
  return JSON.stringify({ pets });
});

let sent = 0;

async function addNext(): Promise<void> {
  const body = bodies[(sent / Number(size)) % BODIES] ?? '';
  sent += Number(size);
  const response = await fetch(`${origin}/v1/pet-batches`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body,
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status} ${text}`);
}

const startedMs = performance.now();
const hasTime = () => performance.now() - startedMs < Number(seconds) * 1_000;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (sent < Number(total) && hasTime()) await addNext();
  }),
);
const result = { animals: sent, seconds: (performance.now() - startedMs) / 1_000 };
console.log(JSON.stringify(result));
