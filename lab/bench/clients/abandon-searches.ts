/**
 * Sends searches for texts in no name at a steady pace, each over a connection of its own, and closes the connection after `openMs`
 * without having read a response. Prints how many were sent.
 */
import { connect } from 'node:net';
import { argv } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const [origin = '', key = '', perSecond = '', seconds = '', openMs = ''] = argv.slice(2);
const { hostname, port } = new URL(origin);
const total = Number(perSecond) * Number(seconds);

const textOf = (number: number): string =>
  `GET /v1/pets?name=Nobody%20${number} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const abandon = (number: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(textOf(number), () => setTimeout(() => socket.destroy(), Number(openMs)));
  });

const startedMs = performance.now();
const abandoned: Promise<void>[] = [];
while (abandoned.length < total) {
  const waitMs = startedMs + (abandoned.length * 1_000) / Number(perSecond) - performance.now();
  if (waitMs > 0) await sleep(waitMs);
  abandoned.push(abandon(abandoned.length));
}
await Promise.all(abandoned);
console.log(abandoned.length);
