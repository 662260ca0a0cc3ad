import { TEXTS } from './texts.ts';

const INT64 = /^-?\d{1,19}$/;
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** The text of an integer of 64 bits in its one spelling, or undefined for any other text. */
export function int64Text(text: string): string | undefined {
  const trimmed = text.trim();
  if (!INT64.test(trimmed)) return undefined;
  const value = BigInt(trimmed);
  return value < MIN || value > MAX ? undefined : value.toString();
}

/** What is wrong with the text of a field that may be empty. */
export function optionalInt64Fault(text: string): string | undefined {
  if (optionalInt64(text) !== undefined) return undefined;
  return /^[\s\d+-]+$/.test(text) ? TEXTS.common.numberRange : TEXTS.common.number;
}

/** The text of an integer, or an empty text for a field that is empty. */
export const optionalInt64 = (text: string): string | undefined =>
  text.trim() === '' ? '' : int64Text(text);
