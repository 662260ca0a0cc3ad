import { existsSync } from 'node:fs';
import { join } from 'node:path';

const LAB = import.meta.dirname;

/** Where `npm ci --prefix lab` installs the packages of the lab. */
export const PACKAGES = join(LAB, 'node_modules');

/** What is missing before the lab can use its packages. Undefined if they are installed. */
export const missingPackages = (): string | undefined =>
  existsSync(join(PACKAGES, '.package-lock.json'))
    ? undefined
    : 'The packages of the lab are not installed. Run: npm ci --prefix lab';

/** A file of the packages of the lab. @throws if they are not installed */
export function inPackages(...path: readonly string[]): string {
  const missing = missingPackages();
  if (missing !== undefined) throw new Error(missing);
  return join(PACKAGES, ...path);
}
