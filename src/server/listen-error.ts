import { lookup } from 'node:dns/promises';
import { failureOf } from '../observe/exception.ts';
import { StartupError } from './startup-error.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** The flag that sets the port. */
  readonly flag?: string;
}

/** Explains why listening failed. Returns an error that is not about listening unchanged. */
export async function explainListenError(
  error: unknown,
  { host, port, flag = '--port' }: Address,
): Promise<unknown> {
  // If the name does not resolve, the runtime reports an unrelated error code.
  const isResolved = await lookup(host).then(
    () => true,
    () => false,
  );
  if (!isResolved) return new StartupError(`The host ${host} cannot be resolved to an address.`);
  const code = failureOf(error);
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${port} of ${host} is already in use: stop the other program, or choose another port with ${flag}.`,
    );
  }
  return code === undefined
    ? error
    : new StartupError(`Cannot listen on ${host}, port ${port} (${code}).`);
}
