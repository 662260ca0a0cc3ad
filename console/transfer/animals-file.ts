import { ApiError, type NewPet, type Pet, type PetStatus } from '../../sdk/src/index.ts';
import { describeDelimiter } from '../../src/transfer/files/csv-reader.ts';
import { guardFormulas } from '../../src/transfer/files/csv-writer.ts';
import { type FileFields, integerFault, looksLikeNumber } from '../../src/transfer/files/fields.ts';
import { formatOfName, readRows } from '../../src/transfer/files/read-rows.ts';
import { UnreadableFile } from '../../src/transfer/files/unreadable-file.ts';
import { PET_STATUSES } from '../animals/pet-statuses.ts';
import { formatNumber } from '../format.ts';
import { TEXTS } from '../texts.ts';

/** An animal of a file, and the line on which it begins. */
export interface FileAnimal {
  readonly line: number;
  readonly animal: NewPet<string>;
}

export interface FileUpdate extends FileAnimal {
  /** The animal when the file was compared. */
  readonly pet: Pet<string>;
}

export interface RowFault {
  readonly line: number;
  readonly message: string;
}

/** What a file says of the animals to add and to update. */
export interface AnimalsFile {
  readonly name: string;
  readonly animals: readonly FileAnimal[];
  readonly updates: readonly FileUpdate[];
  /** How many rows say what is stored already. */
  readonly unchanged: number;
  readonly faults: readonly RowFault[];
  readonly delimiter: string | undefined;
}

type FindCategory = (text: string) => { readonly id?: string; readonly fault?: string };

/** What rows with an id are compared with. */
interface Catalogue {
  readonly categoryNames: ReadonlyMap<string, string>;
  readonly petsById: (ids: readonly string[]) => Promise<readonly Pet<string>[]>;
}

/** Undefined for a missing column, null for an empty cell. */
type Values = { readonly [Field in keyof typeof FIELDS]?: unknown };

const FIELDS = {
  id: { kind: 'int64' },
  name: { kind: 'name', isRequired: true, unless: 'id' },
  categoryId: { kind: 'int64', isNullable: true },
  category: { kind: 'label', isNullable: true },
  status: { kind: PET_STATUSES, isNullable: true },
} satisfies FileFields;

/** A larger file needs the command line. */
const MAX_BYTES = 50_000_000;

/** Reads a file as the command `import` does, finds categories by their names, and compares rows that have an id. @throws UnreadableFile */
export async function readAnimals(
  file: File,
  find: FindCategory,
  { categoryNames, petsById }: Catalogue = { categoryNames: new Map(), petsById: async () => [] },
): Promise<AnimalsFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile(TEXTS.transfer.tooLarge);
  const { batches, delimiter } = await readRows(slicesOf(file), formatOfName(file.name), FIELDS);
  const rows = (await Array.fromAsync(batches)).flat();
  const ids = new Set(rows.flatMap((row) => ('values' in row ? (row.values['id'] ?? []) : [])));
  const pets = new Map((await petsById([...ids].map(String))).map((pet) => [pet.id, pet]));
  const lines = new Map<unknown, number>();
  const animals: FileAnimal[] = [];
  const updates: FileUpdate[] = [];
  const faults: RowFault[] = [];
  const categoryOf = categoryFinder(find);
  const place = (line: number, values: Values) => {
    const pet = pets.get(String(values.id));
    const animal =
      problemOf(values, pet, lines.get(values.id)) ??
      toAnimal(pet ? merge(pet, values, categoryNames) : values, categoryOf);
    if (values.id !== undefined) lines.set(values.id, lines.get(values.id) ?? line);
    if (typeof animal === 'string') faults.push({ line, message: animal });
    else if (pet) updates.push({ line, animal, pet });
    else animals.push({ line, animal });
  };
  for (const row of rows) {
    if ('values' in row) place(row.line, row.values);
    else faults.push({ line: row.line, message: row.problem });
  }
  const separator = delimiter();
  const changes = updates.filter(({ pet, animal }) => !isSame(pet, animal));
  return {
    name: file.name,
    animals,
    updates: changes,
    unchanged: updates.length - changes.length,
    faults,
    delimiter: separator && describeDelimiter(separator),
  };
}

const SLICE_BYTES = 262_144;

async function* slicesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += SLICE_BYTES)
    yield new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
}

/** The id of a category, or what is wrong with its text. */
type Category = { readonly id: string } | { readonly problem: string };

function categoryFinder(find: FindCategory): (text: string) => Category {
  const categories = new Map<string, Category>();
  return (text) => {
    const known = categories.get(text) ?? findCategory(text, find);
    categories.set(text, known);
    return known;
  };
}

function findCategory(text: string, find: FindCategory): Category {
  const { id, fault = '' } = find(text);
  // A field of the page also takes `007`, which is no integer in a file.
  if (id !== undefined && (id === text || !looksLikeNumber(text))) return { id };
  return { problem: `category: ${looksLikeNumber(text) ? integerFault(text) : fault}` };
}

/** Why a row cannot change the animal with its id. */
function problemOf({ id, status }: Values, pet: Pet<string> | undefined, earlier?: number) {
  const texts = TEXTS.transfer;
  if (id === undefined) return undefined;
  if (earlier !== undefined) return texts.idTwice(String(id), formatNumber(earlier));
  if (pet === undefined) return texts.idUnknown(String(id));
  return pet.status === 'sold' && status !== undefined && status !== 'sold'
    ? texts.sold
    : undefined;
}

/** The values of a row for an animal. What the row has no column for stays as it is. */
function merge(pet: Pet<string>, values: Values, names: ReadonlyMap<string, string>): Values {
  const { name, categoryId, category } = values;
  const isDownload = (stored: string, text: unknown) =>
    text === stored || text === guardFormulas(stored);
  const isKept =
    category === null ? categoryId != null : isDownload(names.get(pet.categoryId) ?? '', category);
  // A download has both. With the id that is stored, the name may have been edited.
  const isByName =
    category !== undefined && String(categoryId ?? pet.categoryId) === pet.categoryId;
  return {
    ...pet,
    ...values,
    ...(isDownload(pet.name, name) && { name: pet.name }),
    ...(isByName && { categoryId: isKept ? pet.categoryId : null }),
  };
}

export const isSame = (pet: Pet<string>, { name, categoryId, status }: NewPet<string>): boolean =>
  pet.name === name && pet.categoryId === categoryId && pet.status === status;

/** The animal of a row, or what is wrong with it. */
function toAnimal(
  { name, categoryId, category, status }: Values,
  categoryOf: (text: string) => Category,
): NewPet<string> | string {
  const found =
    categoryId == null ? categoryOf(String(category ?? '')) : { id: String(categoryId) };
  if ('problem' in found) return found.problem;
  return {
    name: String(name),
    categoryId: found.id,
    ...(status != null && { status: status as PetStatus }),
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
