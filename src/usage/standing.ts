import type { Operation } from '../http/contract/operation.ts';

/** How long callers can rely on an operation. `removed`: this version of the program does not have it. */
export const STANDINGS = ['stable', 'beta', 'experimental', 'deprecated', 'removed'] as const;
export type Standing = (typeof STANDINGS)[number];

/** A function from the id of an operation to its standing. */
export function standingAmong(operations: readonly Operation[]): (operationId: string) => Standing {
  const standings = new Map<string, Standing>(
    operations.map(({ id, deprecation, stability }) => [
      id,
      deprecation ? 'deprecated' : (stability ?? 'stable'),
    ]),
  );
  return (operationId) => standings.get(operationId) ?? 'removed';
}
