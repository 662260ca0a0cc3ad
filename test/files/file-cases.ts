/** Files of animals, and what they say: the command and the console read each of them alike. */

export interface FileCase {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  /** The animals, as JSON. */
  readonly animals: readonly string[];
  /** The rows that are left out. */
  readonly faults?: readonly string[];
  /** The sentence that refuses the whole file, or its beginning. */
  readonly refused?: string;
  readonly delimiter?: ',' | ';' | '\t';
}

const csv = (
  text: string | Uint8Array,
  animals: readonly string[],
  more: Partial<FileCase> = {},
): FileCase => ({ name: 'a.csv', bytes: text, animals, delimiter: ',', ...more });

const refused = (bytes: string | Uint8Array, sentence: string, name = 'a.csv'): FileCase => ({
  name,
  bytes,
  animals: [],
  refused: sentence,
});

const ndjson = (
  text: string,
  animals: readonly string[],
  faults?: readonly string[],
): FileCase => ({
  name: 'a.ndjson',
  bytes: text,
  animals,
  ...(faults && { faults }),
});

const REX = '{"name":"Rex","categoryId":1}';
const MIA = '{"name":"Mia","categoryId":2}';
const SOLD = '{"name":"Rex","categoryId":1,"status":"sold"}';

const REMEDY = 'save it in UTF-8, which spreadsheets call "CSV UTF-8"';
const DIGITS =
  'must be an integer in digits, without leading zeros, from -9223372036854775808 to 9223372036854775807';
const RANGE = 'must be an integer from -9223372036854775808 to 9223372036854775807';
const changed = (text: string) =>
  `must be an integer in digits, but is ${text}. A spreadsheet has changed the number: format its column as text, or as a number without decimals`;

/** Texts that are integers in JSON or in a spreadsheet, but not in CSV. */
const CHANGED_NUMBERS = ['9.0072E+15', '1e2', '1.0', '+7', '1,000', '1 000', '9.007.199', '-1E-3'];

const NUMBERS: Readonly<Record<string, FileCase>> = Object.fromEntries(
  CHANGED_NUMBERS.map((text) => [
    `the number ${text}`,
    csv(`name,categoryId\nRex,"${text}"\nMia,2\n`, [MIA], {
      faults: [`line 2: categoryId: ${changed(text)}`],
    }),
  ]),
);

export const FILE_CASES: Readonly<Record<string, FileCase>> = {
  ...NUMBERS,
  'integers in digits, to their limits': csv(
    'name,categoryId\na,9223372036854775807\nb,-9223372036854775808\nc, 0 \n',
    [
      '{"name":"a","categoryId":9223372036854775807}',
      '{"name":"b","categoryId":-9223372036854775808}',
      '{"name":"c","categoryId":0}',
    ],
  ),
  'integers that are none': csv(
    'name,categoryId\na,9223372036854775808\nb,007\nc,-0\nd,0x1\ne,"[1]"\nRex,1',
    [REX],
    { faults: ['a', 'b', 'c', 'd', 'e'].map((_, at) => `line ${at + 2}: categoryId: ${DIGITS}`) },
  ),
  'numbers of JSON, to their limits': ndjson(
    '{"name":"a","categoryId":9223372036854775807}\n{"name":"b","categoryId":-9223372036854775808}\n{"name":"c","categoryId":9007199254740993}',
    [
      '{"name":"a","categoryId":9223372036854775807}',
      '{"name":"b","categoryId":-9223372036854775808}',
      '{"name":"c","categoryId":9007199254740993}',
    ],
  ),
  'numbers of JSON, which are what JSON says': ndjson(
    '{"name":"Rex","categoryId":1.0}\n{"name":"Mia","categoryId":2e0}\n{"name":"a","categoryId":1.5}\n{"name":"a","categoryId":"1"}',
    [REX, MIA],
    [`line 3: categoryId: ${RANGE}`, `line 4: categoryId: ${RANGE}`],
  ),

  'columns without a name': csv('name,categoryId,,\nRex,1,,\nMia,2,x,y\n', [REX, MIA]),
  'a column that is not used, twice': csv('name,categoryId,note,note\nRex,1,a,b\n', [REX]),
  'a column that is used, twice': refused(
    'name,categoryId,name\nRex,1,Rex\n',
    'the first line contains the column name twice',
  ),
  'a column twice, written differently': refused(
    'status,name,categoryId, Status\nsold,Rex,1,sold\n',
    'the first line contains the column status twice',
  ),
  'rows without text': csv(
    'name,categoryId,x\n,,\nRex,1,\n ,\t\n,\n\n"","",""\n,,,,,\nMia,2,\n,,',
    [REX, MIA],
  ),
  'rows with other numbers of cells': csv('name,categoryId\nRex,1,2\nRex\nMia,2', [MIA], {
    faults: [
      'line 2: has 3 cells, but the first line has 2 (the delimiter is a comma)',
      'line 3: has 1 cell, but the first line has 2 (the delimiter is a comma)',
    ],
  }),
  'names of columns with spaces and capitals': csv('Name , CATEGORYID\nRex,1', [REX]),
  'a status with spaces and capitals': csv('name,categoryId,status\nRex,1, Sold ', [SOLD]),
  'an unknown status': csv('name,categoryId,status\nRex,1,lost', [], {
    faults: ['line 2: status: must be one of available, pending, sold'],
  }),
  'a status with capitals in JSON': ndjson(
    '{"name":"Rex","categoryId":1,"status":"Sold"}',
    [],
    ['line 1: status: must be one of available, pending, sold'],
  ),

  semicolons: csv('name;categoryId;status\nRex;1;sold\n', [SOLD], { delimiter: ';' }),
  tabs: csv('name\tcategoryId\nRex\t1\n', [REX], { delimiter: '\t' }),
  'semicolons, and more commas': csv('name;categoryId;a,b,c,d\nRex;1;e,f\n', [REX], {
    delimiter: ';',
  }),
  'commas, and semicolons in quotes': csv('"a;b;c;d",name,categoryId\n;,Rex,1\n', [REX]),
  'semicolons, and quotes': csv('"name";"categoryId"\r\n"Rex";"1"\r\n', [REX], { delimiter: ';' }),
  'a line that names the delimiter': csv('sep=;\r\nname;categoryId\r\nRex;1\r\n', [REX], {
    delimiter: ';',
  }),
  'another number of cells, with semicolons': csv('name;categoryId\nRex,1\n', [], {
    delimiter: ';',
    faults: ['line 2: has 1 cell, but the first line has 2 (the delimiter is a semicolon)'],
  }),
  'no column for the name, but a long one, which is cut': refused(
    `nom;${'kind'.repeat(60)}\nRex;1\n`,
    `the first line must name the columns, and one of them must be name: it has nom, ${'kind'.repeat(48)}kin, and the delimiter is a semicolon`,
  ),
  'no column for the name, and one that is known': refused(
    'nom,categoryId\nRex,1\n',
    'the first line must name the columns, and one of them must be name: it has nom, categoryId, and the delimiter is a comma',
  ),

  'quotes, and line ends in them': csv(
    '\uFEFFname,categoryId\r\n"two\r\nlines",1\r\n"say ""hi""",2\r\n"a\nb",x\n,1\r"",2',
    ['{"name":"two\\r\\nlines","categoryId":1}', '{"name":"say \\"hi\\"","categoryId":2}'],
    {
      faults: [
        `line 5: categoryId: ${DIGITS}`,
        'line 7: name: must not be empty or only white space',
        'line 8: name: must not be empty or only white space',
      ],
    },
  ),
  'a line end in the first line, and in a row with another number of cells': csv(
    'name,categoryId,"x\ny"\n"a\nb",1\nRex,x,',
    [],
    {
      faults: [
        'line 3: has 2 cells, but the first line has 3 (the delimiter is a comma)',
        `line 5: categoryId: ${DIGITS}`,
      ],
    },
  ),
  'a quote after a cell': refused('name,categoryId\n"Rex" II,1\n', 'line 2: a quote is misplaced'),
  'a quote in a cell': refused('name,categoryId\nRex 5" x 6",1\n', 'line 2: a quote is misplaced'),
  'a quote that is not closed': refused(
    'name,categoryId\n\n"Rex,1\nMia,2',
    'line 3: a quote is mis',
  ),
  'a quoted cell of 9 MB': refused(
    `name,categoryId\n"${'""x'.repeat(3_000_000)}",1\n`,
    'line 2: the row is longer than 1 MiB, or a quote in it is not closed',
  ),
  'a file without rows': csv('name,categoryId', []),
  'an empty file': { name: 'a.csv', bytes: '', animals: [] },
  'an empty line of JSON': ndjson('\n', []),
  'an empty JSON array': { name: 'a.json', bytes: ' [ ] ', animals: [] },

  'Latin-1': refused(
    Buffer.from('name,categoryId\nZo\xeb,1\n', 'latin1'),
    'the file is not valid UTF-8, on line ',
  ),
  'UTF-8 that is cut off': refused(
    Buffer.from([0x6e, 0x0a, 0xc3]),
    'the file is not valid UTF-8, on line ',
  ),
  'UTF-16': refused(
    Buffer.from('\uFEFFname,categoryId\nRex,1\n', 'utf16le'),
    `the file is text in UTF-16, not in UTF-8: ${REMEDY}`,
  ),
  'UTF-16 without a mark': refused(
    Buffer.from('name,categoryId\nRex,1\n', 'utf16le'),
    'the file is text in UTF-16',
  ),
  'a spreadsheet': refused(
    Buffer.from('PK\u0003\u0004\u0014\0\u0006\0\u0008\0\0\0!\0\xed\xb5', 'latin1'),
    `the file is a spreadsheet such as .xlsx or another archive: ${REMEDY}`,
  ),

  'a name with U+0000': csv('name,categoryId\na\0b,1\nRex,1', [REX], {
    faults: ['line 2: name: must not contain the character U+0000'],
  }),
  'names that the service refuses': ndjson(
    [
      '{"name":"\\ud800","categoryId":1}',
      '{"name":"a\\u0000","categoryId":1}',
      '{"name":{"a":1},"categoryId":1}',
      '{"name":7,"categoryId":1}',
      `{"name":"${'🐕'.repeat(256)}","categoryId":1}`,
      '{"categoryId":1}',
    ].join('\n'),
    [],
    [
      'line 1: name: must not contain a lone surrogate',
      'line 2: name: must not contain the character U+0000',
      'line 3: name: must be a string',
      'line 4: name: must be a string',
      'line 5: name: must be at most 255 characters long',
      'line 6: name: is required (the row has categoryId)',
    ],
  ),
  'JSON with a key twice': ndjson(
    '{"name":"Rex","categoryId":1,"name":"Max"}\n\n[1]',
    [],
    [
      'line 1: The JSON is invalid at character 36: duplicate key "name" in an object.',
      'line 3: is not a JSON object',
    ],
  ),
  'a JSON array after a byte order mark, with faults and an empty line': {
    name: 'a.json',
    bytes: `\uFEFF[\n${REX},\n\n{"name":"","categoryId":1},\n3]`,
    animals: [REX],
    faults: ['line 4: name: must not be empty or only white space', 'line 5: is not a JSON object'],
  },
  'a JSON array': { name: 'a.json', bytes: `[${REX},\n${MIA}]`, animals: [REX, MIA] },
  'a JSON array of 1,001 animals': {
    name: 'a.json',
    bytes: `[${Array(1_001).fill(REX)}]`,
    animals: Array(1_001).fill(REX),
  },
  'a JSON array that is cut off': refused(
    `[${REX},\n{"name":"Mi`,
    'in or after the row that begins on line 1: ',
    'a.json',
  ),
  'JSON by its content': { name: 'animals', bytes: `${REX}\n`, animals: [REX] },
};
