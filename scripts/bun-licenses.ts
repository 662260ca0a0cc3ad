/** The licences of Bun, which the executable contains. The npm package of Bun has no licence file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `bun-VERSION.md` is the licence page of that version: docs/project/license.mdx of the npm package `bun-types`.
 * `LGPL-VERSION.txt` are the texts of the Free Software Foundation, as Debian has them in /usr/share/common-licenses.
 */
const FOLDER = fileURLToPath(new URL('licenses/', import.meta.url));

export interface BunLicenses {
  /** What Bun says about its licence, its libraries, and how to link it with changed ones. */
  readonly page: string;
  /** The text of each version of the LGPL that the page names, by that version. */
  readonly lgpl: ReadonlyMap<string, string>;
}

/** @throws if `folder` has no page of this version of Bun, or no text of an LGPL that the page names */
export function bunLicenses(version: string, folder = FOLDER): BunLicenses {
  const read = (name: string): string => {
    const path = join(folder, name);
    if (existsSync(path)) return readFileSync(path, 'utf8').trim();
    throw new Error(`${name} is missing: scripts/bun-licenses.ts says where it comes from.`);
  };
  const page = read(`bun-${version}.md`);
  const named = [...page.matchAll(/LGPL[- ]?v?(\d(?:\.\d)?)/g)].map(([, lgpl = '']) => lgpl);
  return { page, lgpl: new Map(named.map((lgpl) => [lgpl, read(`LGPL-${lgpl}.txt`)])) };
}
