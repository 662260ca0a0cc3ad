/** The parts of requests that resources share. */
import { int64Digits, isField } from './int64.ts';

/**
 * A query as text. Parameters that are undefined are left out; arrays are repeated. Returns undefined if an
 * array is empty: nothing can match it, but without the parameter everything would.
 */
export function toQuery(parameters: object): string | undefined {
  if (Object.values(parameters).some((value) => Array.isArray(value) && value.length === 0)) return;
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, item] as const),
  );
  const texts = pairs
    .filter(([, item]) => item !== undefined)
    .map(([name, item]): [string, string] => [
      name,
      isField(name) ? int64Digits(item, name) : String(item),
    ]);
  return texts.length > 0 ? `?${new URLSearchParams(texts)}` : '';
}

/** The path of a resource. @throws TypeError if the id is not exact */
export const pathOf = (collection: string, id: unknown): string =>
  `${collection}/${int64Digits(id, 'id')}`;

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
