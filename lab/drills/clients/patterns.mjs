/** Compiles each pattern of openapi.json by RE2, as programs in Go do. Fails at the first one that it refuses. */
import { readFileSync } from 'node:fs';
import { RE2JS } from 're2js';

const patterns = new Set();
JSON.parse(readFileSync('openapi.json', 'utf8'), (key, value) => {
  if (key === 'pattern' && typeof value === 'string') patterns.add(value);
  return value;
});
for (const pattern of patterns) RE2JS.compile(pattern);
console.log(`${patterns.size} patterns`);
