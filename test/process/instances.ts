import { SCOPES } from '../../src/http/contract/scopes.ts';
import { openScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { commandOf, type RunningService, startCommand } from '../support/process.ts';

export const INSTANCES = 3;

export interface Instances {
  readonly scratch: Scratch;
  readonly instances: readonly RunningService[];
  readonly origins: readonly string[];
  /** A key with all scopes. */
  readonly key: string;
}

/** Starts three instances simultaneously on a new database, with or without a key. */
export async function startInstances(hasKey = true): Promise<Instances> {
  const scratch = await openScratch();
  const key = hasKey ? await createKey(scratch.url, SCOPES) : '';
  const command = commandOf('serve', '--database', scratch.url, '--port', '0');
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, () => startCommand(command, { showsKey: false })),
  );
  return { scratch, instances, origins: instances.map(({ origin }) => origin), key };
}

export async function removeInstances({ instances, scratch }: Instances): Promise<void> {
  for (const instance of instances) instance.signal('SIGKILL');
  await Promise.all(instances.map(({ ended }) => ended()));
  await scratch.remove();
}
