/** docs/operating/log.md describes every line of the log. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTRIBUTE_OF, LEVEL_OF } from '../../src/observe/attributes.ts';
import { ROOT } from '../support/process.ts';

const page = readFileSync(join(ROOT, 'docs/operating/log.md'), 'utf8');

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
