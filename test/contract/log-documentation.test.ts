/** docs/operating.md describes every line of the log. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTRIBUTE_OF, LEVEL_OF } from '../../src/observe/attributes.ts';
import { ROOT } from '../support/process.ts';

const page = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
const section = /\n## Logs\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';

/** The rows of the table of events: name, level. */
const rows = [...section.matchAll(/^\| `([a-z_]+)` \| (\w+) \| .+ \| .* \|$/gm)].map(
  ([, event, level]) => [event, level],
);

test('the table of events has each event once, with its level', () => {
  expect(rows.sort()).toEqual(Object.entries(LEVEL_OF).sort());
});

test('each field is described', () => {
  const names = Object.values(ATTRIBUTE_OF);
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
