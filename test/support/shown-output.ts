/** Compares what the commands of a guide or of the handbook print with what their page shows. */
import { expect } from 'bun:test';
import type { CommandBlock } from './fenced-blocks.ts';

/** Starts the output of each command. */
const SEPARATOR = '\u001e';

/** A script that runs scripts one after another in one shell. Each of them ends with a newline. */
export const inOneShell = (scripts: readonly string[]): string =>
  scripts.map((script) => `printf '${SEPARATOR}'\n${script}`).join('');

/** The outputs of these scripts. */
export const outputsOf = (output: string): string[] => output.split(SEPARATOR).slice(1);

/** Compares the outputs of blocks with those that their page shows, if it shows them. */
export function expectShown(
  page: string,
  blocks: readonly CommandBlock[],
  outputs: readonly string[],
): void {
  for (const [number, { line, shown }] of blocks.entries()) {
    if (shown === undefined) continue;
    const where = `${page}:${line}`;
    const printed = masked(outputs[number] ?? '');
    expect(`${where}\n${printed}`).toBe(`${where}\n${masked(shown)}`);
  }
}

/** Puts marks in place of everything that differs from run to run. */
const masked = (output: string): string =>
  output
    .replaceAll('\r', '')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)')
    .replaceAll(/"date":"\d{4}-\d\d-\d\d"/g, '"date":"(day)"')
    .replaceAll(/^Date: .*$/gm, 'Date: (time)')
    .replaceAll(/^X-Request-Id: [0-9a-f]{8}-[0-9a-z]+$/gm, 'X-Request-Id: (id)')
    // The tag of a page covers its link, which has the port.
    .replaceAll(/(rel="next"\n)ETag: "[0-9a-z]+"/g, '$1ETag: (tag)')
    .replaceAll(/;t=\d+$/gm, ';t=(seconds)')
    .replaceAll(/^Retry-After: \d+$/gm, 'Retry-After: (seconds)')
    .replaceAll(/\b\d+(\.\d+)? (bytes|[KMGT]iB)\b/g, '(size)')
    .replaceAll(/\b\d{8}T\d{6}\.\d{3}Z/g, '(time)')
    .replaceAll(/\b\d{4}-\d\d-\d\d\.db\b/g, '(date).db')
    .replaceAll(/(\(time\)|never)$/gm, '(time)')
    .replaceAll(/\bask_(live|test)_[\w…]+/g, 'ask_$1_…')
    // A new field of a resource changes these, and no page about something else.
    .replaceAll(/^(Schema +)\d+/gm, '$1(version)')
    .replaceAll(/("\w*[sS]chemaVersion": )\d+/g, '$1(version)')
    .replaceAll(/\bschema(="|\.version":| )\d+/g, 'schema$1(version)')
    .replaceAll(/\b(schema \(version\) to|knows only) \d+/g, '$1 (version)')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '(SHA-256)')
    .replaceAll(/"service\.instance\.id":"[^"]*"/g, '"service.instance.id":"(name)"')
    .replaceAll(/"process\.pid":\d+/g, '"process.pid":(number)')
    .replaceAll(/"animal_store\.request\.id":"[^"]*"/g, '"animal_store.request.id":"(id)"')
    .replaceAll(/duration":[\d.e-]+/g, 'duration":(seconds)')
    .replaceAll(/\b(Bun|SQLite|PostgreSQL) \d[\w.]*/g, '$1 (version)')
    .replaceAll(/animal-store \d+\.\d+\.\d+ \(commit .*?\)/g, 'animal-store (version)')
    .replaceAll(/\d+\.\d+\.\d+ \(commit .*?, /g, '(version), ')
    .replaceAll(/Connections( +)\d+ of at most \d+/g, 'Connections$1(number)')
    .replaceAll(
      /^(animal_store_sqlite_wal_bytes|process_\w+(\{.*?\})?) [\d.e+-]+$/gm,
      '$1 (number)',
    )
    .replaceAll(/"value":\[[\d.]+,/g, '"value":[(time),')
    .trim();
