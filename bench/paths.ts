import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The project's folder. */
export const ROOT = at('../');
/** The runtime that the project pins, which is the one of production. */
export const BUN = at('../node_modules/.bin/bun');
/** The scripts of the load generator. */
export const WORKS_FOLDER = at('./works/');
/** Where each peer has its folder. */
export const PEERS_FOLDER = at('./peers/');
/** Limits that are programs of their own. */
export const LIMITS_FOLDER = at('./limits/');
/** What is kept between runs, and the files of a run: on the disk of the checkout, since a temporary folder may be in memory. */
export const CACHE_FOLDER = at('./.cache/');
export const RESULTS_FOLDER = at('./results/');
export const RECORDED_FILE = at('./recorded.json');
