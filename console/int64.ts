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

/** What is wrong with the text of a number. */
export function int64Fault(text: string): string | undefined {
  if (text.trim() === '') return TEXTS.common.numberMissing;
  return int64Text(text) === undefined ? TEXTS.common.number : undefined;
}
