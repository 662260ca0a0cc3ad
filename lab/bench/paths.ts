import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The project's folder. */
export const ROOT = at('../../');
/** The runtime that the project pins, as in production. */
export const BUN = at('../../node_modules/.bin/bun');
/** The scripts of the load generator. */
export const WORKLOADS_FOLDER = at('./workloads/');
/** Contains a folder for each peer. */
export const PEERS_FOLDER = at('./peers/');
/** The limits that are separate programs. */
export const LIMITS_FOLDER = at('./limits/');
/** Files of a run, and files for later runs. Not in a temporary folder, which may be in memory. */
export const CACHE_FOLDER = at('../.cache/bench/');
export const RESULTS_FOLDER = at('./results/');
/** The page whose tables have the results. */
export const PAGE_FILE = at('../../docs/performance.md');
export const RECORDED_FILE = at('./recorded.json');
