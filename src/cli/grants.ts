import { Command } from 'commander';
import { grantsOf, ROLES } from '../storage/postgres/schema/grants.ts';
import { withSettings } from './command.ts';
import { UsageError } from './failures.ts';
import type { Io } from './io.ts';

export function grantsCommand(io: Io): Command {
  const command = new Command('grants')
    .description('print the SQL that gives a role of PostgreSQL its rights')
    .requiredOption('--role <role>', `one of ${ROLES.join(', ')}`);
  return withSettings(io, command, [], async ({ role }: { role: string }) => {
    const grants = grantsOf(role);
    if (grants.length === 0) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`);
    return io.result(grants);
  });
}
