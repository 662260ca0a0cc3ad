/** The names of all works, in the order in which they are measured. */
export const WORK_NAMES = [
  'hot-list',
  'cold-list',
  'one-animal',
  'create-32',
  'create-128',
  'mixed',
  'pg-list',
  'pg-one-animal',
  'pg-create',
] as const;

export type WorkName = (typeof WORK_NAMES)[number];
export const POSTGRES_WORKS: readonly WorkName[] = WORK_NAMES.filter((name) =>
  name.startsWith('pg-'),
);
export const SQLITE_WORKS: readonly WorkName[] = WORK_NAMES.filter(
  (name) => !name.startsWith('pg-'),
);
