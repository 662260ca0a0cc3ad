import { type Int64, int64FromBigInt } from '../int64.ts';

/** The ids of resources that a request created, in their order: mostly they are consecutive. */
export type KeptIds =
  | { readonly first: Int64; readonly count: number }
  | { readonly ids: readonly Int64[] };

/** The shortest form of ids. */
export function keepIds(ids: readonly Int64[]): KeptIds {
  const [first] = ids;
  if (first === undefined) return { ids };
  const kept = { first, count: ids.length };
  return idsOf(kept).every((id, index) => id === ids[index]) ? kept : { ids };
}

export function idsOf(kept: KeptIds): readonly Int64[] {
  if ('ids' in kept) return kept.ids;
  const first = BigInt(kept.first);
  return Array.from({ length: kept.count }, (_, index) => {
    const id = first + BigInt(index);
    return int64FromBigInt(id) ?? id;
  });
}
