/** The parts of requests that resources share. */
import { int64Digits, isField } from './int64.ts';

/** The names and values of an object, or of what has an iterator of them, such as `URLSearchParams` and `Headers`. */
export const entriesOf = (from: object = {}): [string, unknown][] =>
  Symbol.iterator in from ? [...(from as Iterable<[string, unknown]>)] : Object.entries(from);

/**
 * A query as text. Parameters that are undefined are left out; arrays are repeated. Returns undefined if an
 * array is empty: nothing can match it, but without the parameter everything would.
 */
export function toQuery(parameters: object, start = '?'): string | undefined {
  const query = new URLSearchParams();
  for (const [name, value] of entriesOf(parameters)) {
    const items = [value].flat();
    if (items.length === 0) return undefined;
    for (const item of items)
      if (item !== undefined)
        query.append(name, isField(name) ? int64Digits(item, name) : String(item));
  }
  return String(query) && start + query;
}

/** The path of a resource. @throws TypeError if the id is not exact */
export const pathOf = (collection: string, id: unknown): string =>
  `${collection}/${int64Digits(id, 'id')}`;

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
