/** Removes all permissions of group and others: files get mode 0600, folders 0700. */
const PRIVATE_UMASK = 0o077;

/** Runs `work` with a umask that makes new files and folders accessible to this user only. */
export function withPrivateUmask<T>(work: () => T): T {
  const before = process.umask(PRIVATE_UMASK);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
