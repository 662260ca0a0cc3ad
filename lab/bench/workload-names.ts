/** All workloads, in the order of measurement. */
export const WORKLOAD_NAMES = [
  'hot-list',
  'hot-list-100',
  'cold-list',
  'cold-list-100',
  'one-animal',
  'create-32',
  'create-128',
  'mixed',
  'pg-list',
  'pg-one-animal',
  'pg-create',
] as const;

export type WorkloadName = (typeof WORKLOAD_NAMES)[number];
export const POSTGRES_WORKLOADS: readonly WorkloadName[] = WORKLOAD_NAMES.filter((name) =>
  name.startsWith('pg-'),
);
export const SQLITE_WORKLOADS: readonly WorkloadName[] = WORKLOAD_NAMES.filter(
  (name) => !name.startsWith('pg-'),
);
/** Those that --check measures if --only names none. */
export const GUARDED_WORKLOADS: readonly WorkloadName[] = [
  'hot-list',
  'cold-list',
  'one-animal',
  'create-32',
  'create-128',
];
