import type { Operation } from '../http/contract/operation.ts';

/** How long callers can rely on an operation. `removed`: this version of the program does not have it. */
export const LIFECYCLES = ['stable', 'beta', 'experimental', 'deprecated', 'removed'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

/** A function from the id of an operation to its lifecycle. */
export function lifecycleAmong(
  operations: readonly Operation[],
): (operationId: string) => Lifecycle {
  const lifecycles = new Map<string, Lifecycle>(
    operations.map(({ id, deprecation, stability }) => [
      id,
      deprecation ? 'deprecated' : (stability ?? 'stable'),
    ]),
  );
  return (operationId) => lifecycles.get(operationId) ?? 'removed';
}
