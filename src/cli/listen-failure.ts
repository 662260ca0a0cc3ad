import { lookup } from 'node:dns/promises';
import type { Config } from '../config/config.ts';
import { CommandFailed } from './failures.ts';

/** Why nobody can listen there, as a sentence where it is one of the usual reasons. */
export async function listenFailure(error: unknown, { host, port }: Config): Promise<unknown> {
  // For a name that stands for no address the runtime reports whatever error came last.
  const isAddress = await lookup(host).then(
    () => true,
    () => false,
  );
  if (!isAddress) return new CommandFailed(`${host} is no address of this machine.`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new CommandFailed(
      `Port ${port} of ${host} is in use: stop the other program, or choose another with --port.`,
    );
  }
  return code === undefined
    ? error
    : new CommandFailed(`Cannot listen on ${host}, port ${port} (${code}).`);
}
