import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_FILE, RESULTS_FOLDER } from './paths.ts';
import type { ServerResult, WorkloadResult } from './results.ts';
import type { Spread } from './statistics.ts';
import { microseconds, milliseconds, perSecond, renderMarkdown } from './table.ts';
import type { WorkloadName } from './workload-names.ts';

const WORKS: readonly (readonly [work: WorkloadName, title: string])[] = [
  ['hot-list', 'Hot list'],
  ['hot-list-100', 'Hot, 100'],
  ['cold-list', 'Cold list'],
  ['cold-list-100', 'Cold, 100'],
  ['one-animal', 'One animal'],
  ['create-32', 'Create, 32'],
  ['create-128', 'Create, 128'],
  ['mixed', 'Mixed'],
];

const ON_POSTGRES: typeof WORKS = [
  ['pg-list', 'Cold list'],
  ['pg-one-animal', 'One animal'],
  ['pg-create', 'Create, 32'],
];

/** Columns of the page. A workload has at most one server of each. */
const COLUMNS: readonly (readonly [title: string, ...servers: string[]])[] = [
  ['Bun.serve', 'bun-serve', 'bun-serve-100', 'create-limit'],
  ['nginx', 'nginx', 'nginx-100'],
  ['Elysia', 'elysia', 'elysia-postgres'],
  ['Fastify', 'fastify', 'fastify-pg'],
  ['Express', 'express'],
  ['NestJS', 'nest'],
];

const COLUMNS_ON_POSTGRES: typeof COLUMNS = [
  ['postgres.js alone', 'postgres-driver'],
  ...COLUMNS.filter(([title]) => title === 'Elysia' || title === 'Fastify'),
];

interface Growth {
  readonly works: readonly {
    readonly work: string;
    readonly factors: { readonly median: number; readonly p99: number };
    readonly servers: readonly ServerResult[];
  }[];
}

const read = (name: string) => JSON.parse(readFileSync(join(RESULTS_FOLDER, name), 'utf8'));

/** A row for each workload: ours, each other server with the ratio of ours to it, then the processor time of ours and of the fastest peer. */
function comparison(head: string, works: typeof WORKS, columns: typeof COLUMNS): string {
  const results = (read('full.json') as { readonly works: readonly WorkloadResult[] }).works;
  const rows = works.map(([work, title]) => {
    const servers = results.find((result) => result.work === work)?.servers ?? [];
    const cell = (
      is: (server: ServerResult) => boolean,
      render: (server: ServerResult) => string,
    ) => {
      const server = servers.find(is);
      return server === undefined ? '–' : render(server);
    };
    const isOurs = ({ kind }: ServerResult) => kind === 'ours';
    const isOf = (names: readonly string[]) => (server: ServerResult) =>
      names.includes(server.name);
    return [
      title,
      cell(isOurs, ({ requestsPerSecond }) => perSecond(requestsPerSecond.median)),
      ...columns.map(([, ...names]) => cell(isOf(names), withRatio)),
      cell(isOurs, time),
      cell(isOf(['elysia', 'elysia-postgres']), time),
    ];
  });
  const others = columns.map(([title]) => title);
  return renderMarkdown([[head, 'Animal Store', ...others, 'µs: ours', 'Elysia'], ...rows]);
}

/** The processor time of PostgreSQL's server counts, too. */
const time = ({ processorMicroseconds, databaseMicroseconds }: ServerResult): string =>
  microseconds(processorMicroseconds.median + (databaseMicroseconds?.median ?? 0));

function withRatio({ requestsPerSecond, oursToThis }: ServerResult): string {
  const ratio = oursToThis?.median.toFixed(2) ?? '–';
  return `${perSecond(requestsPerSecond.median)} (${ratio})`;
}

function growth(): string {
  const { works } = read('growth.json') as Growth;
  const rows = works.map(({ work, factors, servers }) => [
    WORKS.find(([name]) => name === work)?.[1] ?? work,
    servers.map(({ requestsPerSecond }) => perSecond(requestsPerSecond.median)).join(' / '),
    servers.map(({ p99Ms }) => milliseconds(p99Ms.median)).join(' / '),
    factors.median.toFixed(2),
    factors.p99.toFixed(2),
  ]);
  return renderMarkdown([
    ['10³ / 10⁵ / 10⁷ animals', 'Requests/s', 'p99 in ms', 'Worst / best p50', 'p99'],
    ...rows,
  ]);
}

function others(): string {
  const start = read('start.json') as { animals: number; milliseconds: Spread };
  const imported = read('import.json') as {
    rowsPerSecond: Record<string, Spread>;
    ratio: Spread;
  };
  const { mebibytes, factor } = read('memory.json') as { mebibytes: number[]; factor: number };
  const feed = read('feed.json') as { ratios: { requestsPerSecond: Spread } };
  const { median, lowest, highest } = start.milliseconds;
  const whole = (value = Number.NaN): string => value.toFixed(0);
  return renderMarkdown([
    ['Other', 'Measured'],
    [
      `First response on ${perSecond(start.animals)} animals`,
      `${whole(median)} ms (${whole(lowest)} to ${whole(highest)})`,
    ],
    [
      'Import into a new file',
      `${perSecond(imported.rowsPerSecond['ours']?.median ?? Number.NaN)} rows/s, ${imported.ratio.median.toFixed(2)} × sqlite3's \`.import\``,
    ],
    [
      'Memory under the mixed workload',
      `${whole(mebibytes[0])} MiB after a minute, ${whole(mebibytes.at(-1))} after ${mebibytes.length} (${factor.toFixed(2)} ×)`,
    ],
    [
      'Hot list beside 100 event streams',
      `${feed.ratios.requestsPerSecond.median.toFixed(2)} × without`,
    ],
  ]);
}

/** The page with the figures of the committed results in place of its tables. A table is known by the head of its first column. */
export function withFigures(page: string): string {
  const tables = [
    comparison('Requests/s (ours / theirs)', WORKS, COLUMNS),
    comparison('On PostgreSQL', ON_POSTGRES, COLUMNS_ON_POSTGRES),
    growth(),
    others(),
  ];
  return tables.reduce((text, table) => {
    const head = table.slice(0, table.indexOf('|', 1) + 1);
    const start = text.indexOf(`\n${head}`) + 1;
    if (start === 0) throw new Error(`The page has no table ${head}`);
    const end = text.indexOf('\n\n', start);
    return `${text.slice(0, start)}${table}${text.slice(end)}`;
  }, page);
}

/** Writes the figures into the page. */
export function writePage(): void {
  writeFileSync(PAGE_FILE, withFigures(readFileSync(PAGE_FILE, 'utf8')));
}
