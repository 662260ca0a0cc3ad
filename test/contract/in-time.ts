/** Longer than anything that is awaited with it takes on a busy machine, and shorter than the timeout of a test. */
const LIMIT_MS = 20_000;

/** Resolves or rejects as `awaited` does. @throws an error that names it if it does neither in time. */
export async function inTime<T>(name: string, awaited: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No ${name} after ${LIMIT_MS} ms.`)), LIMIT_MS);
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}
