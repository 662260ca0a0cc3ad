import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BenchFailed } from './failure.ts';
import { RECORDED_FILE } from './paths.ts';
import { toJson, type WorkResult } from './results.ts';

/** For each work, how many times as much ours did as each other server. */
type Ratios = Record<string, Record<string, number>>;

/** How much of a recorded ratio may be lost before a check fails. */
const ALLOWED_FALL = 0.25;

const ratiosOf = (results: readonly WorkResult[]): Ratios =>
  Object.fromEntries(
    results.map(({ work, servers }) => [
      work,
      Object.fromEntries(
        servers.flatMap(({ name, oursToThis }) =>
          oursToThis === undefined ? [] : [[name, Number(oursToThis.median.toFixed(3))]],
        ),
      ),
    ]),
  );

const read = (): Ratios =>
  existsSync(RECORDED_FILE) ? JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) : {};

/** Keeps the ratios of these results; those of works and servers that were not measured stay. */
export function record(results: readonly WorkResult[]): void {
  const ratios = read();
  for (const [work, measured] of Object.entries(ratiosOf(results))) {
    ratios[work] = { ...ratios[work], ...measured };
  }
  writeFileSync(RECORDED_FILE, toJson(ratios));
}

/** @throws BenchFailed before anything is measured, where there is nothing to check against. */
export function requireRecorded(): void {
  if (!existsSync(RECORDED_FILE)) {
    throw new BenchFailed('There is no bench/recorded.json to check against: --record writes it.');
  }
}

/** A sentence for each ratio that fell by more than a quarter. */
export function fallen(results: readonly WorkResult[]): string[] {
  const recorded = read();
  return Object.entries(ratiosOf(results)).flatMap(([work, measured]) =>
    Object.entries(measured).flatMap(([server, now]) => {
      const before = recorded[work]?.[server];
      if (before === undefined || now >= before * (1 - ALLOWED_FALL)) return [];
      const percent = Math.round((1 - now / before) * 100);
      return [`${work}: ours/${server} fell by ${percent} %, from ${before} to ${now}.`];
    }),
  );
}
