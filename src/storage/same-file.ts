import { existsSync, type Stats, statSync } from 'node:fs';

/** Undefined if there is no file. */
export const statOf = (path: string): Stats | undefined =>
  statSync(path, { throwIfNoEntry: false });

/** Whether both are the same file. False if one of them is missing. */
export const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev;

/** Whether two paths lead to the same file. False if one of them leads to none that this process can reach. */
export const isSameFile = (one: string, other: string): boolean =>
  existsSync(one) && existsSync(other) && isSame(statOf(one), statOf(other));
