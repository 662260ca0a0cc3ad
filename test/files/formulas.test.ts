/** No spreadsheet runs a text of a file as a formula, whatever its list separator is. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { guardFormulas } from '../../src/transfer/files/csv-writer.ts';
import { renderRows } from '../../src/transfer/render-rows.ts';

/**
 * The cells that a spreadsheet sees: quotes at the beginning of a cell hold what is in them together, and are dropped. Quotes in the
 * middle of a cell are characters as any other.
 */
function cellsSeen(file: string, separator: string): string[] {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\\r\\n]*)(?:[${separator}\\r\\n]|$)`,
    'gy',
  );
  return [...file.matchAll(cell)].map(
    ([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest,
  );
}

const isFormula = (cell: string): boolean => /^[=+\-@＝＋－＠]/.test(cell) && !/^-\d+$/.test(cell);

async function written(rows: readonly object[]): Promise<string> {
  const columns = ['id', 'name', 'categoryId', 'status'];
  const parts = renderRows([rows], columns, 'csv', { escapeFormulas: true });
  return (await Array.fromAsync(parts)).join('');
}

const SEPARATORS = [',', ';', '\t'];

test('no text in any column is a formula, beside numbers below zero', async () => {
  const unit = fc.constantFrom('=', '-', '+', '1', ',', ';', '\t', '\r', '\n', '"', "'", 'x', '＝');
  const row = fc.record({
    id: fc.integer({ min: -2, max: 2 }),
    name: fc.string({ unit }),
    categoryId: fc.integer({ min: -2, max: 2 }),
    status: fc.string({ unit }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 3 }), async (rows) => {
      const file = await written(rows);
      for (const separator of SEPARATORS) {
        expect(cellsSeen(file, separator).filter(isFormula)).toEqual([]);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ...[...'=+-@\t\r\n＝＋－＠'].map((first) => [`${first}1`, `'${first}1`]),
  ['Rex', 'Rex'],
  ["'=1", "'=1"],
  [' =1', ' =1'],
  ['1=1', '1=1'],
  ['a, -b; c', 'a, -b; c'],
  ['two\r\nlines', 'two\r\nlines'],
  ['a;b,c', 'a;b,c'],
  ['a\n- b', "a\n'- b"],
  ['=1;"+2', `'=1;'"+2`],
  ["x;=cmd|' /C calc'!A0;", "x;'=cmd|' /C calc'!A0;"],
  ['x\t=1', "x\t'=1"],
  ['x\r\n@SUM(1)', "x\r\n'@SUM(1)"],
  [',＝1+1;＋1', ",'＝1+1;'＋1"],
])('of the text %j the file has %j', (text = '', guarded = '') => {
  expect(guardFormulas(text)).toBe(guarded);
});
