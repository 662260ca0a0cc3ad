import type { NewPet } from '../../sdk/src/index.ts';
import { PET_STATUSES } from '../animals/pet-status.tsx';
import { nameFault } from '../name-fault.ts';
import { TEXTS } from '../texts.ts';
import { MisplacedQuote, parseCsv } from './csv.ts';

/** What a file says of the animals to add. */
export interface AnimalsFile {
  readonly name: string;
  readonly animals: readonly NewPet<string>[];
  /** The rows that cannot be animals. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

type Fields = Readonly<Record<string, unknown>>;

type FindCategory = (text: string) => { readonly id?: string; readonly fault?: string };

/** A larger file needs the command line. */
const MAX_BYTES = 50_000_000;

/** The whole file is of no use. */
export class UnreadableFile extends Error {}

/** Reads a file of CSV or NDJSON. @throws UnreadableFile */
export async function readAnimals(file: File, find: FindCategory): Promise<AnimalsFile> {
  const texts = TEXTS.transfer;
  if (file.size > MAX_BYTES) throw new UnreadableFile(texts.tooLarge);
  const text = decode(await file.arrayBuffer());
  const isJson = text.trimStart().startsWith('{');
  const animals: NewPet<string>[] = [];
  const faults: { line: number; message: string }[] = [];
  const categories = new Map<string, ReturnType<FindCategory>>();
  const findOnce = (category: string) => {
    const known = categories.get(category) ?? find(category);
    categories.set(category, known);
    return known;
  };
  for (const { line, fields } of isJson ? jsonRows(text) : csvRows(text)) {
    const read = typeof fields === 'string' ? fields : toAnimal(fields, findOnce);
    if (typeof read === 'string') faults.push({ line, message: read });
    else animals.push(read);
  }
  return { name: file.name, animals, faults };
}

function decode(bytes: ArrayBuffer): string {
  try {
    // It drops a byte order mark, which spreadsheets write.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile(TEXTS.transfer.notUtf8);
  }
}

interface SourceRow {
  readonly line: number;
  /** Or what is wrong with the row. */
  readonly fields: Fields | string;
}

function* csvRows(text: string): Generator<SourceRow> {
  let columns: readonly string[] | undefined;
  try {
    for (const { line, cells } of parseCsv(text)) {
      if (columns === undefined) {
        columns = cells.map((cell) => cell.trim());
        if (!columns.includes('name')) throw new UnreadableFile(TEXTS.transfer.noHeader);
      } else if (cells.length === columns.length) {
        const names = columns;
        yield { line, fields: Object.fromEntries(cells.map((cell, at) => [names[at], cell])) };
      } else yield { line, fields: TEXTS.transfer.cells(cells.length, columns.length) };
    }
  } catch (error) {
    if (!(error instanceof MisplacedQuote)) throw error;
    throw new UnreadableFile(TEXTS.transfer.misquoted(error.line));
  }
}

function* jsonRows(text: string): Generator<SourceRow> {
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() !== '') yield { line: index + 1, fields: jsonFields(source) };
  }
}

/** Numbers stay texts: not all of them fit into a number of JavaScript. */
function jsonFields(source: string): Fields | string {
  try {
    const value: unknown = JSON.parse(
      source,
      (_key, item: unknown, context?: { readonly source?: string }) =>
        typeof item === 'number' ? (context?.source ?? String(item)) : item,
    );
    if (typeof value === 'object' && value !== null) return value as Fields;
  } catch {}
  return TEXTS.transfer.notJson;
}

/** The animal of a row, or what is wrong with it. */
function toAnimal(fields: Fields, find: FindCategory): NewPet<string> | string {
  const text = (name: string) => String(fields[name] ?? '');
  const name = text('name');
  const fault = nameFault(name);
  if (fault !== undefined) return `${TEXTS.common.name}: ${fault}`;
  const category = text('categoryId').trim() || text('category').trim();
  const { id: categoryId, fault: unknown } = find(category);
  if (categoryId === undefined) return `${TEXTS.animals.category}: ${unknown}`;
  const given = text('status').trim();
  const status = PET_STATUSES.find((known) => known === given.toLowerCase());
  if (given !== '' && status === undefined)
    return `${TEXTS.animals.status}: ${TEXTS.transfer.status(PET_STATUSES.join(', '))}`;
  return { name, categoryId, ...(status && { status }) };
}
