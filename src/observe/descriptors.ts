import { readdirSync, readFileSync, statSync } from 'node:fs';

/** The soft limit of open descriptors. Undefined if there is no limit, or not on Linux. */
export function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** The open descriptors of this process. Undefined if they cannot be counted because none is left, or not on Linux. */
export function countDescriptors(): number | undefined {
  try {
    // Linux 6.2 has the number as the size of the folder, which needs no descriptor to read.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
