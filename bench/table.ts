import type { ServerResult, WorkloadResult } from './results.ts';
import type { Spread } from './statistics.ts';

/** Aligns the first column left, the others right. */
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

export const perSecond = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => value.toFixed(2);
/** Empty without a value: processor time is known on Linux only. */
export const microseconds = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(1);

const range = ({ lowest, highest }: Spread, render: (value: number) => string): string =>
  `${render(lowest)}–${render(highest)}`;

const ratio = (value: number): string => value.toFixed(2);

/** The table of one workload for the terminal. */
export function renderWorkload({ title, servers }: WorkloadResult): string {
  const isMix = servers.some(({ readsP99Ms }) => readsP99Ms !== undefined);
  const usesPostgres = servers.some((server) => server.databaseMicroseconds !== undefined);
  const head = ['', 'requests/s', 'range', 'p50 ms', 'p99 ms', 'ours/this', 'range'];
  const timeHead = ['CPU µs/request', ...(usesPostgres ? ['PostgreSQL'] : []), 'ours/this'];
  const mixHead = ['reads p99 ms', 'without writes'];
  const rows = servers.map((server) => [
    server.title,
    perSecond(server.requestsPerSecond.median),
    range(server.requestsPerSecond, perSecond),
    milliseconds(server.p50Ms.median),
    milliseconds(server.p99Ms.median),
    ...ratioCells(server),
    microseconds(server.processorMicroseconds.median),
    ...(usesPostgres ? [microseconds(server.databaseMicroseconds?.median)] : []),
    server.oursToThisProcessorTime ? ratio(server.oursToThisProcessorTime.median) : '',
    ...(isMix ? readCells(server) : []),
  ]);
  const heads = [...head, ...timeHead, ...(isMix ? mixHead : [])];
  return `${title}\n${renderTable([heads, ...rows])}\n`;
}

const ratioCells = ({ oursToThis }: ServerResult): string[] =>
  oursToThis === undefined ? ['', ''] : [ratio(oursToThis.median), range(oursToThis, ratio)];

const readCells = ({ readsP99Ms, readsP99WithoutWritesMs }: ServerResult): string[] =>
  [readsP99Ms, readsP99WithoutWritesMs].map((spread) =>
    spread === undefined ? '' : milliseconds(spread.median),
  );
