import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { misspeltVariables, removedVariables } from '../config/config.ts';
import { EXIT, reportFailure } from './exit-status.ts';
import { printMessage } from './output.ts';

/** The commands in the order of the help. Loading takes most of the time of a short command. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  copy: async () => (await import('./copy.ts')).copyCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  events: async () => (await import('./events.ts')).eventsCommand(),
  'renew-events': async () => (await import('./renew-events.ts')).renewEventsCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  status: async () => (await import('./status.ts')).statusCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  usage: async () => (await import('./usage.ts')).usageCommand(),
  openapi: async () => (await import('./openapi.ts')).openapiCommand(),
};

/** Loads the command that the arguments begin with. If they begin with none, loads all, such as for the help. */
function loadCommands([name = '']: readonly string[]): Promise<Command[]> {
  const chosen = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((chosen ? [chosen] : Object.values(COMMANDS)).map((load) => load()));
}

/** Runs a command line, and resolves with the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('animal-store')
    .description(packageJson.description)
    .version(asksForVersion(args) ? await describeVersions() : '')
    .addHelpText(
      'after',
      '\nExit status: 0 success, 1 failure, 2 invalid flag, argument or setting.',
    )
    .hook('preAction', (_program, command) => {
      // The supervisor printed the warnings before it started this worker.
      if (!command.opts()['asWorker']) warnOfVariables();
    });
  for (const command of await loadCommands(args)) program.addCommand(command);
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

/** Anywhere in a command line, as the library reads it. */
const asksForVersion = (args: readonly string[]): boolean =>
  args.includes('--version') || args.includes('-V');

const describeVersions = async (): Promise<string> =>
  (await import('./versions.ts')).describeProgram();

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function warnOfVariables(): void {
  for (const { name, meant } of misspeltVariables()) {
    printMessage(`animal-store: ${name} is not a setting; did you mean ${meant}?`);
  }
  for (const sentence of removedVariables()) printMessage(`animal-store: ${sentence}`);
}
