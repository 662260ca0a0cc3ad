import { counted } from '../format.ts';

const animals = (count: string) => counted(count, 'animal', 'animals');
const rows = (count: string) => counted(count, 'row', 'rows');

/** The texts of imports and downloads. */
export const TRANSFER_TEXTS = {
  import: 'Import',
  importTitle: 'Import animals',
  choose: 'Choose a file, or drop it here',
  chooseHint:
    'CSV whose first line names the columns, such as name,category,status, or NDJSON with the same names.',
  tooLarge: 'The file has more than 50 MB. Use the command line of the service for it.',
  notUtf8: 'The file is not text in UTF-8.',
  noHeader: 'The first line must name the columns, and one of them must be name.',
  misquoted: (line: number) => `A quote is misplaced or not closed, in line ${line} or after it.`,
  cells: (count: number, expected: number) =>
    `It has ${count} cells, and the first line has ${expected}.`,
  notJson: 'This is not a JSON object.',
  status: (known: string) => `Use one of ${known}, or none.`,
  preview: 'The first rows',
  ready: (count: string) => `${animals(count)} can be added.`,
  leftOut: (count: string) => `Rows with a fault, which are left out: ${count}`,
  fault: (line: string, message: string) => `Line ${line}. ${message}`,
  more: (count: string) => `And ${count} more.`,
  stored: (count: string, total: string) => `${count} of ${animals(total)} are stored.`,
  added: (count: string) => `${animals(count)} ${count === '1' ? 'was' : 'were'} added.`,
  stop: 'Stop',
  resume: 'Resume',
  loss: {
    question: 'Stop the import?',
    hint: 'What is stored stays. The rest of the file is not imported.',
    action: 'Stop the import',
    keep: 'Go on',
  },
  download: 'Download',
  cancel: 'Cancel the download',
  rows,
  downloaded: (count: string) => `Downloaded ${rows(count)}.`,
} as const;
