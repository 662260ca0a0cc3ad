/**
 * An exact signed 64-bit integer: a number if it is a safe integer, otherwise a bigint. Each value
 * has one representation, so `===` compares values.
 */
export type Int64 = number | bigint;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export const INT64_RANGE = `${INT64_MIN} to ${INT64_MAX}`;

/** The representation of `value`, or undefined if it is beyond 64 bits. */
export function int64FromBigInt(value: bigint): Int64 | undefined {
  if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return Number(value);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Parses canonical decimal digits: `0`, or an optional minus sign and digits without a leading zero. */
export function parseInt64(digits: string): Int64 | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(digits)) return undefined;
  return digits.length <= 15 ? Number(digits) : int64FromBigInt(BigInt(digits));
}

export function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint'
    ? value === int64FromBigInt(value)
    : Number.isSafeInteger(value) && !Object.is(value, -0);
}
