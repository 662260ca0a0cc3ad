import type { Command } from 'commander';
import { type Config, readConfig, type SettingName } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';

/** The flag of all commands with a result. */
export const JSON_FLAG = ['--json', 'print the result as JSON'] as const;

export interface JsonFlag {
  readonly json?: true;
}

/**
 * Completes a command: adds the flags of the settings below its own, and the action that runs with
 * the flags, the values of the settings and the arguments.
 */
export function withSettings<const Names extends SettingName, Flags extends object>(
  command: Command,
  settings: readonly Names[],
  action: (flags: Flags, config: Config<Names>, args: readonly string[]) => Promise<void> | void,
): Command {
  for (const name of settings) {
    const setting = SETTINGS[name];
    const whenUnset = 'default' in setting ? setting.default : setting.whenUnset;
    const description = `${setting.description} (${setting.variable}; default: ${whenUnset})`;
    command.option(`${setting.flag} <value>`, description);
  }
  return command.action(() => {
    const flags = command.opts();
    return action(flags as Flags, readConfig(settings, flags), command.args);
  });
}
