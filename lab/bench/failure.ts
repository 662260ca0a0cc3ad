/** The benchmark cannot continue. The user can remove the cause. */
export class BenchFailed extends Error {
  override readonly name = 'BenchFailed';
}

/** The command line is invalid. */
export class BadFlag extends Error {
  override readonly name = 'BadFlag';
}
