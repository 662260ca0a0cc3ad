import type { Options } from '../options.ts';
import type { RunningServer } from '../server.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { milliseconds, perSecond, renderTable } from '../table.ts';
import type { Workspace } from '../workspace.ts';
import { startWrk } from '../wrk.ts';
import type { SearchCatalogue } from './search-catalogue.ts';
import {
  type Latencies,
  type Latency,
  latencyOf,
  readSteadily,
  requestInTurn,
} from './search-clients.ts';
import type { SearchKind } from './search-kinds.ts';

/** What runs beside the searches, and beside the reads without searches. */
export interface Condition {
  readonly title: string;
  readonly additionsPerSecond?: number;
}

/** The service to measure. */
export interface SearchTarget {
  readonly workspace: Workspace;
  readonly server: RunningServer;
  readonly catalogue: SearchCatalogue;
  /** An id that is different for each call, as long as there are enough. */
  readonly nextId: () => number;
  /** The numbers from 0 on for each kind of requests, across conditions. */
  readonly nextNumber: (kind: string) => number;
}

/** The figures of one kind of searches under a condition. */
export interface SearchResult {
  readonly kind: string;
  /** Absent without searches. */
  readonly searches?: Latency;
  /** The reads of single animals at the same time. */
  readonly reads: Latency;
  /** The animals that were really added. */
  readonly additionsPerSecond?: Spread;
  /** The animals that were not in the index at the beginning of each round. */
  readonly unindexed: Spread;
}

interface Round {
  readonly searches: Latencies;
  readonly reads: Latencies;
  readonly additionsPerSecond: number;
  readonly unindexed: number;
}

const NO_SEARCHES = 'no searches';
const CONNECTIONS = 32;
/** Until the additions have their pace. */
const RAMP_UP_MS = 300;
/** Longer than any round: additions are stopped. */
const MAX_SECONDS = 600;

/** Measures all kinds of searches under a condition, and before them the reads alone. `seconds` are those of a kind in all rounds. */
export async function measureSearches(
  target: SearchTarget,
  condition: Condition,
  kinds: readonly SearchKind[],
  { rounds, seconds }: Pick<Options, 'rounds' | 'seconds'>,
): Promise<SearchResult[]> {
  const measured = [undefined, ...kinds].map((kind) => ({ kind, taken: [] as Round[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { kind, taken } of measured) {
      taken.push(await measureRound(target, condition, kind, seconds / rounds));
    }
  }
  return measured.map(({ kind, taken }) => ({
    kind: kind?.title ?? NO_SEARCHES,
    ...(kind && { searches: latencyOf(taken.map(({ searches }) => searches)) }),
    reads: latencyOf(taken.map(({ reads }) => reads)),
    ...(condition.additionsPerSecond && {
      additionsPerSecond: spreadOf(taken.map(({ additionsPerSecond }) => additionsPerSecond)),
    }),
    unindexed: spreadOf(taken.map(({ unindexed }) => unindexed)),
  }));
}

async function measureRound(
  target: SearchTarget,
  { additionsPerSecond }: Condition,
  kind: SearchKind | undefined,
  seconds: number,
): Promise<Round> {
  const { server, catalogue, nextId, nextNumber } = target;
  const additions =
    additionsPerSecond === undefined ? undefined : startAdditions(target, additionsPerSecond);
  if (additions) await Bun.sleep(RAMP_UP_MS);
  const unindexed = await catalogue.unindexed();
  const searching = kind
    ? requestInTurn(server, seconds, () => kind.path(nextNumber(kind.title)))
    : Bun.sleep(seconds * 1_000).then(() => []);
  const [searches, reads] = await Promise.all([searching, readSteadily(server, nextId, searching)]);
  const added = await additions?.stop();
  return { searches, reads, additionsPerSecond: added?.requestsPerSecond ?? 0, unindexed };
}

function startAdditions({ workspace, server, nextNumber }: SearchTarget, perSecond: number) {
  const { origin, key, paths } = server;
  return startWrk(workspace, {
    script: 'paced',
    args: [paths.create, `${nextNumber('additions')}`, `${perSecond}`],
    url: `${origin}/`,
    key,
    connections: CONNECTIONS,
    seconds: MAX_SECONDS,
  });
}

/** The table of one condition. Ranges are those of the rounds. */
export function renderSearches({ title }: Condition, results: readonly SearchResult[]): string {
  const head = ['', 'searches', 'p50 ms', 'p99 ms', 'range', 'other reads', 'p99 ms', 'range'];
  const rows = results.map(({ kind, searches, reads, additionsPerSecond, unindexed }) => [
    kind,
    ...(searches
      ? [count(searches.requests), milliseconds(searches.p50Ms), ...p99Of(searches)]
      : ['', '', '', '']),
    count(reads.requests),
    ...p99Of(reads),
    rangeOf(unindexed, count),
    additionsPerSecond ? rangeOf(additionsPerSecond, perSecond) : '',
  ]);
  return `${title}\n${renderTable([[...head, 'not indexed', 'additions/s'], ...rows])}\n`;
}

const p99Of = ({ p99Ms, p99MsByRound }: Latency): string[] => [
  milliseconds(p99Ms),
  rangeOf(p99MsByRound, milliseconds),
];

const rangeOf = ({ lowest, highest }: Spread, render: (value: number) => string): string =>
  lowest === highest ? render(lowest) : `${render(lowest)}–${render(highest)}`;

const count = (value: number): string => value.toLocaleString('en');
