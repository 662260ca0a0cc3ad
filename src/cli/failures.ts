/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed for a reason that the operator can act on. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Turns a system error into a `CommandFailed` that names the target. Returns any other error unchanged. */
export const cannotWrite = (target: string, error: unknown): unknown =>
  error instanceof Error && 'errno' in error
    ? new CommandFailed(`${target} cannot be written: ${reasonOf(error)}.`)
    : error;

const reasonOf = ({ message }: Error): string =>
  message.startsWith('ENOENT') ? 'its folder does not exist' : message;
