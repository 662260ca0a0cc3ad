/** The command and the console read files by one reader. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { leaveOutRefused, readAnimals } from '../../console/transfer/animals-file.ts';
import { ApiError } from '../../sdk/src/index.ts';
import {
  type ExactJson,
  type JsonObject,
  renderExactJson,
} from '../../src/http/request/exact-json.ts';
import { faultsIn } from '../../src/http/request/validation.ts';
import { NewPet } from '../../src/pets/pet.ts';
import { cellsOf, RowSplitter } from '../../src/transfer/files/csv-rows.ts';
import { renderCsvRow } from '../../src/transfer/files/csv-writer.ts';
import { jsonRow, sourcesOf } from '../../src/transfer/files/fields.ts';
import { formatOfName, readRows } from '../../src/transfer/files/read-rows.ts';
import { UnreadableFile } from '../../src/transfer/files/unreadable-file.ts';
import { petFields } from '../../src/transfer/pet-rows.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { FILE_CASES, type FileCase } from './file-cases.ts';

const { id: _, ...FIELDS } = petFields(undefined);

interface Read {
  readonly animals: readonly string[];
  readonly faults: readonly string[];
  readonly delimiter?: string | undefined;
  readonly refused?: string;
}

async function* inParts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const bytesOf = ({ bytes }: FileCase): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(bytes));

/** Reads a file as the command does, in parts of so many bytes. */
async function readAsCommand(file: FileCase, size: number): Promise<Read> {
  const animals: string[] = [];
  const faults: string[] = [];
  const format = formatOfName(file.name);
  const rows = await readRows(inParts(bytesOf(file), size), format, FIELDS);
  for await (const batch of rows.batches) {
    for (const row of batch) {
      if ('values' in row) animals.push(renderExactJson(row.values));
      else faults.push(`line ${row.line}: ${row.problem}`);
    }
  }
  return { animals, faults, delimiter: rows.delimiter() };
}

const CATEGORIES: Readonly<Record<string, string>> = { rabbits: '7', '007': '7', '1e2': '8' };

const readInConsole = ({ name, bytes }: Pick<FileCase, 'name' | 'bytes'>) =>
  readAnimals(new File([new Uint8Array(Buffer.from(bytes))], name), (text) => {
    const id = /^-?[1-9]\d*$/.test(text) ? text : CATEGORIES[text.toLowerCase()];
    return id === undefined ? { fault: 'No category has this name.' } : { id };
  });

/** Reads a file as the console does, whose integers are texts. */
async function readAsConsole(file: FileCase): Promise<Read> {
  const { animals, faults, delimiter } = await readInConsole(file);
  return {
    animals: animals.map(({ animal }) =>
      JSON.stringify(animal).replace(/"categoryId":"(-?\d+)"/, '"categoryId":$1'),
    ),
    faults: faults.map(({ line, message }) => `line ${line}: ${message}`),
    delimiter,
  };
}

/** What is wrong with a file that is refused as a whole. */
function refusalOf(error: unknown): Read {
  if (!(error instanceof UnreadableFile)) throw error;
  return { animals: [], faults: [], refused: error.message };
}

const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;

function expectRead({ animals, faults = [], refused, delimiter }: FileCase, read: Read): void {
  expect(read.refused?.slice(0, refused?.length)).toBe(refused);
  expect(read).toMatchObject({ animals, faults });
  if (refused === undefined) expect(read.delimiter).toBe(delimiter);
}

describe.each(Object.entries(FILE_CASES))('%s', (_what, file) => {
  test('is read by the command, in whatever parts it arrives', async () => {
    expectRead(file, await readAsCommand(file, 65_536).catch(refusalOf));
    if (bytesOf(file).length < 10_000)
      expectRead(file, await readAsCommand(file, 1).catch(refusalOf));
  });

  test('is read by the console in the same way', async () => {
    const { delimiter } = file;
    const described = delimiter && `the delimiter is a ${DELIMITERS[delimiter]}`;
    const read = await readAsConsole(file).catch(refusalOf);
    expectRead({ ...file, delimiter: described as ',' }, read);
  });
});

test('a name says the format, and bytes that are not UTF-8 are near a line', async () => {
  expect(['a.JSONL', 'b.Csv', 'c.txt'].map(formatOfName)).toEqual(['ndjson', 'csv', undefined]);
  const latin = readAsCommand(FILE_CASES['Latin-1'] as FileCase, 1);
  await expect(latin).rejects.toThrow('on line 2 or after it');
});

test('rows that are written are read again, whatever their cells are and in whatever parts they arrive', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', ',', ';', '\t', '"', '\r', '\n', ' ', '猫'),
  });
  const row = fc.array(cell, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row), fc.integer({ min: 1, max: 9 }), (rows, size) => {
      const text = rows.map(renderCsvRow).join('');
      const splitter = new RowSplitter();
      const parts = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const found = parts.flatMap((part) => splitter.split(part));
      found.push(...splitter.split('', true));
      expect(found.map((one) => cellsOf(one.text, ','))).toEqual(rows);
      const lineOf = (at: number) =>
        rows
          .slice(0, at)
          .map(renderCsvRow)
          .join('')
          .split(/\r\n|[\r\n]/).length;
      expect(found.map(({ line }) => line)).toEqual(rows.map((_row, at) => lineOf(at)));
    }),
    { numRuns: 1_000 },
  );
});

test('a row of JSON has the faults that a request with the same animal has', () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.constantFrom('', ' ', 'a\0', '\ud800', 'x'.repeat(256), '🐕'.repeat(255), 'sold', 'Sold'),
    fc.constantFrom<ExactJson>(null, true, 1, -0.5, 2n ** 63n, 2n ** 63n - 1n, 2 ** 53, [], {}),
  );
  const animal = fc.record({ name: value, categoryId: value, status: value }, { requiredKeys: [] });
  fc.assert(
    fc.property(animal, (fields) => {
      const row = jsonRow(1, fields as Record<string, ExactJson>, sourcesOf(FIELDS));
      const request = NewPet.safeParse(fields);
      const problem = request.success ? undefined : faultsIn(request.error).join('; ');
      expect('problem' in row ? row.problem.replace(/ \(the row has .*\)$/s, '') : undefined).toBe(
        problem,
      );
      if (request.success)
        expect(row).toEqual({ line: 1, values: { ...request.data } as JsonObject });
    }),
    { numRuns: 1_000 },
  );
});

test('the console finds categories by name, prefers their number, and takes no changed number for a name', async () => {
  const bytes = [
    'name,category,categoryId',
    'a,Rabbits,',
    'b,Unicorns,3',
    'c,Unicorns,',
    'd,007,',
    'e,+7,',
    'f,,',
    'g,9.0072E+15,',
    'h,12,',
  ].join('\n');
  const { animals, faults } = await readInConsole({ name: 'a.csv', bytes });
  expect(animals.map(({ line, animal }) => [line, animal.categoryId])).toEqual([
    [2, '7'],
    [3, '3'],
    [9, '12'],
  ]);
  expect(faults.map(({ line, message }) => `${line} ${message.slice(0, 47)}`)).toEqual([
    '4 category: No category has this name.',
    '5 category: must be an integer in digits, without',
    '6 category: must be an integer in digits, but is ',
    '7 category: No category has this name.',
    '8 category: must be an integer in digits, but is ',
  ]);
});

test('of animals that the service refuses, those with the same value are left out, and those before the part stay', () => {
  const of = (line: number, categoryId: string) => ({ line, animal: { name: 'Rex', categoryId } });
  const animals = [of(2, '9'), of(3, '9'), of(4, '1'), of(5, '9'), of(6, '1')];
  const refusal = (message: string) =>
    Object.assign(
      new ApiError(message, { status: 400, code: 'validation_failed', headers: new Headers() }),
      { offset: 1 },
    );
  expect(
    leaveOutRefused(animals, refusal('pets[0].categoryId: is not a known category; and 1 more')),
  ).toEqual({
    animals: [of(4, '1'), of(6, '1')],
    faults: [3, 5].map((line) => ({ line, message: 'categoryId: is not a known category' })),
  });
  expect(leaveOutRefused(animals, refusal('pets: must be an array'))).toBeUndefined();
  expect(leaveOutRefused(animals, refusal('pets[7].name: is required'))).toBeUndefined();
  expect(leaveOutRefused(animals, new Error('No network'))).toBeUndefined();
});
