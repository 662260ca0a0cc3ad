import type { ServerResult, WorkloadResult } from './results.ts';
import type { Spread } from './statistics.ts';

/** A table for the terminal. Aligns the first column left, the others right. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same as Markdown. */
export function renderMarkdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const perSecond = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => value.toFixed(2);
/** Empty without a value: processor time is known on Linux only. */
export const microseconds = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(1);

const range = ({ lowest, highest }: Spread, render: (value: number) => string): string =>
  `${render(lowest)}–${render(highest)}`;

const ratio = (value: number): string => value.toFixed(2);

const COLUMNS: readonly (readonly [head: string, render: (server: ServerResult) => string])[] = [
  ['requests/s', ({ requestsPerSecond }) => perSecond(requestsPerSecond.median)],
  ['range', ({ requestsPerSecond }) => range(requestsPerSecond, perSecond)],
  ['p50 ms', ({ p50Ms }) => milliseconds(p50Ms.median)],
  ['p99 ms', ({ p99Ms }) => milliseconds(p99Ms.median)],
  ['ours/this', ({ oursToThis }) => medianOf(oursToThis, ratio)],
  ['range', ({ oursToThis }) => (oursToThis ? range(oursToThis, ratio) : '')],
  ['CPU µs/request', ({ processorMicroseconds }) => medianOf(processorMicroseconds, microseconds)],
  ['PostgreSQL', ({ databaseMicroseconds }) => medianOf(databaseMicroseconds, microseconds)],
  ['ours/this', (server) => medianOf(server.oursToThisProcessorTime, ratio)],
  ['wrk CPU', ({ generatorLoad }) => medianOf(generatorLoad, ratio)],
  ['reads p99 ms', ({ readsP99Ms }) => medianOf(readsP99Ms, milliseconds)],
  ['without writes', (server) => medianOf(server.readsP99WithoutWritesMs, milliseconds)],
];

const medianOf = (spread: Spread | undefined, render: (value: number) => string): string =>
  spread === undefined || Number.isNaN(spread.median) ? '' : render(spread.median);

/** The table of one workload for the terminal, without the columns in which no server has a value. */
export function renderWorkload({ title, servers }: WorkloadResult): string {
  const columns = COLUMNS.map(([head, render]) => [head, ...servers.map(render)]).filter(
    ([, ...cells]) => cells.some((cell) => cell !== ''),
  );
  const names = ['', ...servers.map((server) => server.title)];
  const rows = names.map((name, row) => [name, ...columns.map((column) => column[row] ?? '')]);
  return `${title}\n${renderTable(rows)}\n`;
}
