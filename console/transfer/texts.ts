import { counted } from '../format.ts';

const animals = (count: string) => counted(count, 'animal', 'animals');
const rows = (count: string) => counted(count, 'row', 'rows');

/** A sentence of the reader of files, which the command line shows after its name. */
const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** The texts of imports and downloads. */
export const TRANSFER_TEXTS = {
  import: 'Import',
  importTitle: 'Import animals',
  choose: 'Choose a file, or drop it here',
  chooseHint:
    'CSV whose first line names the columns, such as name,category,status, or NDJSON or JSON with the same names. A row with an id changes that animal. Columns with other names are left out. In a spreadsheet, save it as “CSV UTF-8”.',
  tooLarge: 'The file has more than 50 MB. Use the command line of the service for it.',
  preview: 'The first rows',
  ready: (count: string) => `${animals(count)} can be added.`,
  compared: (updated: string, added: string, unchanged: string) =>
    `Update ${updated}, add ${added}, unchanged ${unchanged}.`,
  twoCategories: (name: string, id: string, other: string) =>
    `category: ${name} is the category ${id}, but categoryId is ${other}. Leave one of them empty`,
  twice: 'id: another row has it, too',
  unknownId: (id: string) => `id: no animal has the id ${id}. Leave it out to add the animal`,
  leftOut: (count: string) => `Rows with a fault, which are left out: ${count}`,
  fault: (line: string, message: string) => sentence(`line ${line}: ${message}`),
  sentence,
  stored: (count: string, total: string) => `${count} of ${animals(total)} are stored.`,
  updated: (updated: string, added: string) => `Updated ${updated}, added ${added}.`,
  undo: 'Undo',
  undoing: 'Undoing…',
  undone: (count: string) => `The import is undone: ${animals(count)}.`,
  notUndone: 'These were not set back',
  added: (count: string) => `${animals(count)} ${count === '1' ? 'was' : 'were'} added.`,
  stop: 'Stop',
  stopped: 'Stopped',
  resume: 'Resume',
  rest: 'Import the rest',
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
