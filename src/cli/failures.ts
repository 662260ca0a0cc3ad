/** The command was asked in a wrong way. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command could not do what was asked, for a reason that the person at the terminal can act on. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** An error of the system as a sentence about what could not be written; any other stays what it is. */
export const cannotWrite = (what: string, error: unknown): unknown =>
  error instanceof Error && 'errno' in error
    ? new CommandFailed(`${what} cannot be written: ${error.message}.`)
    : error;
