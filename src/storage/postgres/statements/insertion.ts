import { storedColumnsOf } from '../../insertion.ts';
import type { AnyTable } from '../../tables.ts';
import { typeOf } from './arrays.ts';

/** What an insertion of some fields stores, with the types of its columns. A folded text follows the fields. */
export function insertionOf(table: AnyTable, fields: readonly string[]) {
  const stored = storedColumnsOf(table, fields);
  const types = stored.columns.map((_column, index) => {
    const field = fields[index];
    return field === undefined ? 'text' : typeOf(table, field);
  });
  return { ...stored, types };
}
