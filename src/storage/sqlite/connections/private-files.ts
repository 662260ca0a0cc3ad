/** Takes all rights from the group and from others: files become 0600, folders 0700. */
const PRIVATE_UMASK = 0o077;

/** What `work` makes can be read by this user alone, whatever umask the process was started with. */
export function privately<T>(work: () => T): T {
  const before = process.umask(PRIVATE_UMASK);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
