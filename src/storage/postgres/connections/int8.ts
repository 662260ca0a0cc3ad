import { int64FromBigInt } from '../../../int64.ts';

/** The type bigint (OID 20): a number if safe, else a bigint. */
export const INT8 = {
  to: 20,
  from: [20],
  serialize: String,
  parse(digits: string) {
    const value = Number(digits);
    return Number.isSafeInteger(value) ? value : int64FromBigInt(BigInt(digits));
  },
};
