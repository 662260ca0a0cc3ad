import { readFile } from 'node:fs/promises';
import { family, type MetricFamily } from './families.ts';

/** The state ESTABLISHED in /proc/net/tcp. */
const ESTABLISHED = '01';

/**
 * The TCP connections to a local port, by all processes that share it. A connection that no process has accepted yet
 * is queued: it has no inode. Empty on other systems than Linux, and while no descriptor is left.
 */
export async function tcpConnections(port: number): Promise<MetricFamily[]> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  );
  if (tables.every((table) => table === '')) return [];
  let accepted = 0;
  let queued = 0;
  for (const line of tables.join('').split('\n')) {
    // Most lines are of other ports: splitting each one would take longer than the rest of a scrape.
    if (!line.includes(suffix)) continue;
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/, 10);
    if (state !== ESTABLISHED || !local.endsWith(suffix)) continue;
    if (inode === '0') queued += 1;
    else accepted += 1;
  }
  return [
    family('animal_store_http_connections', [
      { labels: { state: 'accepted' }, value: accepted },
      { labels: { state: 'queued' }, value: queued },
    ]),
  ];
}
