/** docs/telemetry.md describes every line of the log. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTRIBUTE_OF, LEVEL_OF } from '../../src/observe/attributes.ts';
import { ROOT } from '../support/process.ts';

const page = readFileSync(join(ROOT, 'docs/telemetry.md'), 'utf8');

/** The rows of the table of events: name, level. */
const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (\w+) \| .+ \| .* \|$/gm)].map(
  ([, event, level]) => [event, level],
);

test('the table of events has each event once, with its level', () => {
  expect(rows.sort()).toEqual(Object.entries(LEVEL_OF).sort());
});

test('each field is described', () => {
  const names = Object.values(ATTRIBUTE_OF);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the page of failures leads each error to what to do', () => {
  const index = readFileSync(join(ROOT, 'docs/failures.md'), 'utf8').match(/^\| `[a-z_]+`.* \|$/gm);
  const names = (event: string) => index?.some((row) => row.includes(`\`${event}\``));
  const errors = Object.entries(LEVEL_OF).filter(([, level]) => level === 'error');
  expect(errors.filter(([event]) => !names(event))).toEqual([]);
});
