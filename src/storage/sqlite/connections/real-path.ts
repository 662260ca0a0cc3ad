import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { failureOf } from '../../../observe/exception.ts';

/**
 * The path of a database file without symbolic links: the WAL and the markers are beside the target of a link. Works even if the
 * target is missing, as after an interrupted restore.
 */
export function realPathOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    // A link in a circle fails differently than one whose target is missing.
    if (failureOf(error) !== 'ENOENT' || !stat.isSymbolicLink()) throw error;
    return realPathOf(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  }
}
