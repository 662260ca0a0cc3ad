/** Figures of two kinds of servers, of which the higher ones are better, at one share of creations. */
export interface SharePoint {
  readonly percent: number;
  readonly sqlite: readonly number[];
  readonly postgres: readonly number[];
}

/**
 * The share of creations from which on the best PostgreSQL server is at least as good as the best one on SQLite, at
 * this share and all higher ones that were measured. Undefined if it is not at the highest.
 */
export function crossover(points: readonly SharePoint[]): number | undefined {
  const descending = [...points].sort((a, b) => b.percent - a.percent);
  const lost = descending.findIndex(
    ({ sqlite, postgres }) => Math.max(...postgres) < Math.max(...sqlite),
  );
  return descending[(lost === -1 ? descending.length : lost) - 1]?.percent;
}
