import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test, removed with `remove`. */
export function temporaryFolder(): {
  path: string;
  file: (name: string) => string;
  remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), 'animal-store-'));
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
