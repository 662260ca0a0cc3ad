import type { ExactJson, JsonObject } from '../../http/request/exact-json.ts';
import { INT64_MAX, INT64_RANGE, isInt64, parseInt64 } from '../../int64.ts';
import { nameProblem } from '../../name-problem.ts';

/** What a field can be. A list has the words that are allowed. A label is a text, or a number that stands for it. */
type FieldKind = 'name' | 'int64' | 'label' | readonly string[];

/** A field that a reader of a file uses. */
export interface FileField {
  readonly kind: FieldKind;
  readonly isRequired?: boolean;
  /** A field with which this one is not required. */
  readonly unless?: string;
  /** An empty cell, or null, is a value: null. Otherwise an empty cell is no value. */
  readonly isNullable?: boolean;
  /** The most that an integer can be. */
  readonly max?: bigint;
  /** The column that has it, if that has another name. */
  readonly column?: string | undefined;
}

export type FileFields = Readonly<Record<string, FileField>>;

/** One row of a file: its first line, and its values or what is wrong with it. */
export type FileRow = { readonly line: number } & (
  | { readonly values: JsonObject }
  | { readonly problem: string }
);

/** A field with its column. */
export interface FieldSource extends FileField {
  readonly field: string;
  readonly column: string;
  /** The place of the column in CSV. -1 without such a column. */
  readonly index?: number;
}

export const sourcesOf = (fields: FileFields): FieldSource[] =>
  Object.entries(fields).map(([field, one]) => ({ ...one, field, column: one.column ?? field }));

/** A row of JSON. Its values are exact: `1.0` and `1e2` are integers. */
export function jsonRow(
  line: number,
  object: JsonObject,
  sources: readonly FieldSource[],
): FileRow {
  const columns = () => Object.keys(object);
  const valueIn = ({ column }: FieldSource) =>
    Object.hasOwn(object, column) ? object[column] : undefined;
  return toRow(line, sources, valueIn, faultOf, columns);
}

/** A row of CSV. Only a name is read exactly. */
export function csvRow(
  line: number,
  cells: readonly string[],
  sources: readonly FieldSource[],
  columns: readonly string[],
): FileRow {
  const valueIn = ({ kind, isNullable, index = -1 }: FieldSource) =>
    index === -1
      ? undefined
      : (cellValue(kind, cells[index] ?? '') ?? (isNullable ? null : undefined));
  return toRow(line, sources, valueIn, cellFaultOf, () => columns);
}

function toRow(
  line: number,
  sources: readonly FieldSource[],
  valueIn: (source: FieldSource) => ExactJson | undefined,
  faultIn: (source: FieldSource, value: ExactJson | undefined) => string | undefined,
  columns: () => readonly string[],
): FileRow {
  const values: JsonObject = {};
  const problems: string[] = [];
  let isIncomplete = false;
  const has = (field: string) =>
    sources.some((source) => source.field === field && valueIn(source) !== undefined);
  const isLeftOut = ({ isNullable, unless }: FieldSource, value: ExactJson | undefined) =>
    value === null ? isNullable : value === undefined && unless !== undefined && has(unless);
  for (const source of sources) {
    const value = valueIn(source);
    const fault = isLeftOut(source, value) ? undefined : faultIn(source, value);
    if (fault !== undefined) problems.push(`${source.column}: ${fault}`);
    else if (value !== undefined) values[source.field] = value;
    isIncomplete ||= fault === MISSING;
  }
  if (problems.length === 0) return { line, values };
  const hint = isIncomplete ? ` (the row has ${listed(columns())})` : '';
  return { line, problem: problems.join('; ') + hint };
}

const MAX_LISTED = 200;

/** The names of columns, for a sentence. */
export const listed = (columns: readonly string[]): string =>
  columns
    .filter((column) => column !== '')
    .join(', ')
    .slice(0, MAX_LISTED);

const MISSING = 'is required';

function faultOf(
  { kind, isRequired, max = INT64_MAX }: FileField,
  value: ExactJson | undefined,
): string | undefined {
  if (value === undefined) return isRequired ? MISSING : undefined;
  if (kind === 'name') return nameProblem(value);
  if (kind === 'label')
    return typeof value === 'string' || isInt64(value) ? undefined : 'must be a string';
  if (kind !== 'int64')
    return kind.some((word) => word === value) ? undefined : `must be one of ${kind.join(', ')}`;
  if (isInt64(value) && value <= max) return undefined;
  return max === INT64_MAX
    ? `must be an integer from ${INT64_RANGE}`
    : `must be an integer of at most ${max}`;
}

const cellFaultOf = (source: FieldSource, value: ExactJson | undefined): string | undefined =>
  source.kind === 'int64' && typeof value === 'string'
    ? integerFault(value)
    : faultOf(source, value);

/** A word of CSV: spaces around it and its case do not matter. */
export const wordOf = (text: string): string => text.trim().toLowerCase();

function cellValue(kind: FieldKind, cell: string): ExactJson | undefined {
  if (kind === 'name') return cell;
  const text = cell.trim();
  if (text === '') return undefined;
  if (kind === 'int64') return parseInt64(text) ?? text;
  return kind === 'label' ? text : wordOf(text);
}

/** A number, also as spreadsheets write it: with an exponent, a fraction, a sign or groups of digits. */
const NUMBER = /^[+-]?\d[\d\s.,'’]*(?:e[+-]?\d+)?$/i;
const MAX_SHOWN = 40;

export const looksLikeNumber = (text: string): boolean =>
  text.length <= MAX_SHOWN && NUMBER.test(text);

/** What is wrong with a text that is no integer in digits. */
export const integerFault = (text: string): string =>
  looksLikeNumber(text) && !/^-?\d+$/.test(text)
    ? `must be an integer in digits, but is ${text}. A spreadsheet has changed the number: format its column as text, or as a number without decimals`
    : `must be an integer in digits, without leading zeros, from ${INT64_RANGE}`;
