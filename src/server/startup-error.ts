/** The service cannot start, for a reason that the operator can act on. The message is one sentence. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
