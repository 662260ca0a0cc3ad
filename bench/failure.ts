/** The benchmark cannot go on, for a reason that the person who started it can act on. */
export class BenchFailed extends Error {
  override readonly name = 'BenchFailed';
}

/** The benchmark was asked for in a wrong way. */
export class BadFlag extends Error {
  override readonly name = 'BadFlag';
}
