import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { misspeltVariables } from '../config/config.ts';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { copyCommand } from './copy.ts';
import { EXIT, reportFailure } from './exit-status.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { openapiCommand } from './openapi.ts';
import { printMessage } from './output.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { usageCommand } from './usage.ts';

/** Runs a command line, and resolves with the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('animal-store')
    .description(packageJson.description)
    .version(packageJson.version)
    .addCommand(serveCommand())
    .addCommand(keysCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(copyCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(checkCommand())
    .addCommand(statusCommand())
    .addCommand(migrateCommand())
    .addCommand(usageCommand())
    .addCommand(openapiCommand())
    .addHelpText(
      'after',
      '\nExit status: 0 success, 1 failure, 2 invalid flag, argument or setting.',
    )
    .hook('preAction', (_program, command) => {
      // The supervisor printed the warnings before it started this worker.
      if (!command.opts()['asWorker']) warnOfMisspeltVariables();
    });
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help shows the usage)');
  }
  // Without a listener, an error of standard error, such as a closed pipe, would end the process.
  process.stderr.on('error', () => {});
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.success;
  } catch (error) {
    return reportFailure(error);
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function warnOfMisspeltVariables(): void {
  for (const { name, meant } of misspeltVariables()) {
    printMessage(`animal-store: ${name} is not a setting; did you mean ${meant}?`);
  }
}
