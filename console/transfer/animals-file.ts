import { ApiError, type NewPet, type PetStatus } from '../../sdk/src/index.ts';
import { type Delimiter, describeDelimiter } from '../../src/transfer/files/csv-reader.ts';
import { type FileFields, integerFault, looksLikeNumber } from '../../src/transfer/files/fields.ts';
import { formatOfName, readRows } from '../../src/transfer/files/read-rows.ts';
import { UnreadableFile } from '../../src/transfer/files/unreadable-file.ts';
import { PET_STATUSES } from '../animals/pet-statuses.ts';
import { TEXTS } from '../texts.ts';

/** An animal of a file, and the line on which it begins. */
export interface FileAnimal {
  readonly line: number;
  readonly animal: NewPet<string>;
  /** The animal that it changes. Undefined for one to add. */
  readonly id?: string;
}

/** A row that cannot be an animal. */
export interface RowFault {
  readonly line: number;
  readonly message: string;
}

/** What a file says of animals. */
export interface AnimalsFile {
  readonly name: string;
  readonly animals: readonly FileAnimal[];
  readonly faults: readonly RowFault[];
  /** Whether an animal without a status says that it has none. */
  readonly hasStatus: boolean;
  /** Of CSV. */
  readonly delimiter: string | undefined;
}

type FindCategory = (text: string) => { readonly id?: string; readonly fault?: string };

const FIELDS: FileFields = {
  id: { kind: 'int64' },
  name: { kind: 'name', isRequired: true },
  categoryId: { kind: 'int64' },
  category: { kind: 'label' },
  status: { kind: PET_STATUSES },
};

/** A larger file needs the command line. */
const MAX_BYTES = 50_000_000;

/** Reads a file as the command `import` does, and finds categories by their names. @throws UnreadableFile */
export async function readAnimals(file: File, find: FindCategory): Promise<AnimalsFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile(TEXTS.transfer.tooLarge);
  const animals: FileAnimal[] = [];
  const faults: RowFault[] = [];
  const categories = new Map<string, Category>();
  const categoryOf = (text: string): Category => {
    const known = categories.get(text) ?? findCategory(text, find);
    categories.set(text, known);
    return known;
  };
  const { batches, delimiter, hasColumn } = await readRows(
    slicesOf(file),
    formatOfName(file.name),
    FIELDS,
  );
  for await (const rows of batches) {
    for (const row of rows) {
      const read = 'problem' in row ? row.problem : toAnimal(row.values, categoryOf);
      if (typeof read === 'string') faults.push({ line: row.line, message: read });
      else animals.push({ line: row.line, ...read });
    }
  }
  return {
    name: file.name,
    animals,
    faults,
    hasStatus: hasColumn('status'),
    delimiter: describe(delimiter()),
  };
}

const describe = (delimiter: Delimiter | undefined): string | undefined =>
  delimiter && describeDelimiter(delimiter);

const SLICE_BYTES = 262_144;

async function* slicesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += SLICE_BYTES)
    yield new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
}

/** The id of a category, or what is wrong with its text. */
type Category = { readonly id: string } | { readonly problem: string };

function findCategory(text: string, find: FindCategory): Category {
  const { id, fault = '' } = find(text);
  // A field of the page also takes `007`, which is no integer in a file.
  if (id !== undefined && (id === text || !looksLikeNumber(text))) return { id };
  return { problem: `category: ${looksLikeNumber(text) ? integerFault(text) : fault}` };
}

/** The animal of a row, or what is wrong with it. */
function toAnimal(
  values: Readonly<Record<string, unknown>>,
  categoryOf: (text: string) => Category,
): Omit<FileAnimal, 'line'> | string {
  const { id, name, categoryId, category = '', status } = values;
  const found =
    categoryId === undefined ? categoryOf(String(category)) : { id: String(categoryId) };
  if ('problem' in found) return found.problem;
  const named = category === '' ? found : categoryOf(String(category));
  if ('id' in named && named.id !== found.id)
    return TEXTS.transfer.twoCategories(String(category), named.id, found.id);
  return {
    ...(id !== undefined && { id: String(id) }),
    animal: {
      name: String(name),
      categoryId: found.id,
      ...(status !== undefined && { status: status as PetStatus }),
    },
  };
}

/** What is left of animals after the service has refused some of them. */
interface Rest {
  readonly animals: readonly FileAnimal[];
  readonly faults: readonly RowFault[];
}

/**
 * Leaves out the animals that a refusal names, and those with the same value: a refusal names ten at most. The animals before the part
 * that it is about are stored. Undefined if it names none.
 */
export function leaveOutRefused(animals: readonly FileAnimal[], error: unknown): Rest | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const rest = animals.slice(error.offset);
  const refused = new Map<string, string>();
  for (const { path, message } of error.fields) {
    const [list, index, field] = path;
    const animal = list === 'pets' ? rest[Number(index)]?.animal : undefined;
    if (animal !== undefined) refused.set(valueAt(animal, field), `${field}: ${message}`);
  }
  if (refused.size === 0) return undefined;
  const problemOf = ({ animal }: FileAnimal) =>
    Object.keys(animal)
      .map((field) => refused.get(valueAt(animal, field)))
      .find((problem) => problem !== undefined);
  return {
    animals: rest.filter((one) => problemOf(one) === undefined),
    faults: rest.flatMap((one) => {
      const message = problemOf(one);
      return message === undefined ? [] : [{ line: one.line, message }];
    }),
  };
}

const valueAt = (animal: NewPet<string>, field: string | number | undefined): string =>
  `${field} ${animal[field as keyof NewPet<string>]}`;
