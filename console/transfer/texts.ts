import { counted } from '../format.ts';

const animals = (count: string) => counted(count, 'animal', 'animals');
const rows = (count: string) => counted(count, 'row', 'rows');

/** A sentence of the reader of files, which the command line shows after its name. */
const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

export const TRANSFER_TEXTS = {
  import: 'Import',
  importTitle: 'Import animals',
  choose: 'Choose a file, or drop it here',
  chooseHint:
    'CSV with a first line such as name,category,status, or NDJSON or JSON with these names. A row with an id changes that animal. Other columns are left out. Save a spreadsheet as “CSV UTF-8”.',
  tooLarge: 'The file has more than 50 MB. Use the command line.',
  preview: 'The first rows',
  ready: (count: string) => `${animals(count)} can be added.`,
  changes: (update: string, add: string, unchanged: string) =>
    `Update ${update}, add ${add}, unchanged ${unchanged}.`,
  idUnknown: (id: string) => `id: no animal has the id ${id}`,
  idTwice: (id: string, line: string) => `id: ${id} is on line ${line}, too`,
  sold: 'status: this animal is sold. Take it back to make it available again',
  leftOut: (count: string) => `Rows with a fault, which are left out: ${count}`,
  fault: (line: string, message: string) => sentence(`line ${line}: ${message}`),
  refused: (name: string, reason: string) => `${name}: ${reason}`,
  sentence,
  stored: (count: string, total: string) => `${count} of ${animals(total)} are stored.`,
  added: (count: string) => `${animals(count)} ${count === '1' ? 'was' : 'were'} added.`,
  undone: (count: string, total: string) => `${count} of ${animals(total)} are set back.`,
  stop: 'Stop',
  resume: 'Resume',
  rest: 'Import the rest',
  loss: {
    title: 'Stop the import?',
    hint: 'What is stored stays. The rest is not imported.',
    action: 'Stop',
    keep: 'Go on',
  },
  undoLoss: {
    title: 'Stop the undoing?',
    hint: 'What is set back stays. The rest is imported.',
    action: 'Stop',
    keep: 'Go on',
  },
  download: 'Download',
  cancel: 'Cancel the download',
  rows,
  downloaded: (count: string) => `Downloaded ${rows(count)}.`,
} as const;
