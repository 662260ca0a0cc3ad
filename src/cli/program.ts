import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { misspeltVariables } from '../config/config.ts';
import { EXIT, reportFailure } from './exit-status.ts';
import type { Io } from './io.ts';

/** The commands in the order of the help. Loading takes most of the time of a short command. */
const COMMANDS: Readonly<Record<string, (io: Io) => Promise<Command>>> = {
  serve: async (io) => (await import('./serve.ts')).serveCommand(io),
  keys: async (io) => (await import('./keys.ts')).keysCommand(io),
  import: async (io) => (await import('./import.ts')).importCommand(io),
  export: async (io) => (await import('./export.ts')).exportCommand(io),
  copy: async (io) => (await import('./copy.ts')).copyCommand(io),
  backup: async (io) => (await import('./backup.ts')).backupCommand(io),
  restore: async (io) => (await import('./restore.ts')).restoreCommand(io),
  events: async (io) => (await import('./events.ts')).eventsCommand(io),
  webhooks: async (io) => (await import('./webhooks.ts')).webhooksCommand(io),
  'renew-events': async (io) => (await import('./renew-events.ts')).renewEventsCommand(io),
  check: async (io) => (await import('./check.ts')).checkCommand(io),
  status: async (io) => (await import('./status.ts')).statusCommand(io),
  migrate: async (io) => (await import('./migrate.ts')).migrateCommand(io),
  grants: async (io) => (await import('./grants.ts')).grantsCommand(io),
  usage: async (io) => (await import('./usage.ts')).usageCommand(io),
  openapi: async (io) => (await import('./openapi.ts')).openapiCommand(io),
};

/** Loads the command that the arguments begin with. If they begin with none, loads all, such as for the help. */
function loadCommands(io: Io, [name = '']: readonly string[]): Promise<Command[]> {
  const chosen = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((chosen ? [chosen] : Object.values(COMMANDS)).map((load) => load(io)));
}

/** Runs a command line, and resolves with the exit status. Leaves nothing open, unless it serves. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const program = new Command('animal-store')
    .description(packageJson.description)
    .version(asksForVersion(args) ? await describeVersions() : '')
    .addHelpText(
      'after',
      '\nExit status: 0 success, 1 failure, 2 invalid flag, argument or setting.',
    )
    .hook('preAction', (_program, command) => {
      // The supervisor printed the warnings before it started this worker.
      if (!command.opts()['asWorker']) warnOfVariables(io);
    });
  for (const command of await loadCommands(io, args)) program.addCommand(command);
  const printed: string[] = [];
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .showHelpAfterError('(--help shows the usage)')
      .configureOutput({
        writeOut: (text) => printed.push(...text.trimEnd().split('\n')),
        writeErr: (text) => io.streams.messages.write(text),
      });
  }
  // Without a listener, an error of standard error, such as a closed pipe, would end the process.
  io.streams.messages.on('error', () => {});
  try {
    await program.parseAsync(args, { from: 'user' }).finally(() => io.result(printed));
    return EXIT.success;
  } catch (error) {
    return reportFailure(io, error);
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

function warnOfVariables(io: Io): void {
  for (const { name, meant } of misspeltVariables(io.streams.variables)) {
    io.message(`animal-store: ${name} is not a setting; did you mean ${meant}?`);
  }
}
