/**
 * A signed 64-bit integer, exact: a number where a number is exact, otherwise a
 * bigint. One value has one representation, so `===` compares.
 */
export type Int64 = number | bigint;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export const INT64_RANGE = `${INT64_MIN} to ${INT64_MAX}`;

/** The one representation of `value`, or undefined when it is beyond 64 bits. */
export function int64FromBigInt(value: bigint): Int64 | undefined {
  if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return Number(value);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Reads canonical decimal digits: `0`, or no leading zero, an optional minus sign, nothing else. */
export function parseInt64(digits: string): Int64 | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(digits)) return undefined;
  return digits.length <= 15 ? Number(digits) : int64FromBigInt(BigInt(digits));
}

export function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint'
    ? value === int64FromBigInt(value)
    : Number.isSafeInteger(value) && !Object.is(value, -0);
}
