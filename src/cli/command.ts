import { Command } from 'commander';
import {
  type Config,
  misspeltVariables,
  readConfig,
  SETTINGS,
  type SettingName,
} from '../config/config.ts';
import { tell } from './output.ts';

/**
 * A command that takes the flags of the given settings beside its own. Its action receives its
 * arguments first, then its flags, then the settings.
 */
export function commandWith<const Names extends SettingName>(
  name: string,
  description: string,
  settings: readonly Names[],
) {
  const command = new Command(name).description(description);
  return {
    command,
    /** Adds the settings' flags, below the command's own, and what the command does. */
    does<Flags extends object>(
      act: (flags: Flags, config: Config<Names>, args: readonly string[]) => Promise<void> | void,
    ): Command {
      for (const name of settings) {
        const { flag, variable, description, fallback } = SETTINGS[name];
        const otherwise = 'value' in fallback ? fallback.value : fallback.words;
        command.option(`${flag} <value>`, `${description} (${variable}; default: ${otherwise})`);
      }
      return command.action(() => {
        const flags = command.opts<Flags>();
        // The supervisor has said it before it started this worker.
        if (!('asWorker' in flags)) tellMisspeltVariables();
        return act(flags, readConfig(settings, flags as Record<string, unknown>), command.args);
      });
    },
  };
}

function tellMisspeltVariables(): void {
  for (const { name, meant } of misspeltVariables()) {
    tell(`animal-store: ${name} is not a setting; did you mean ${meant}?`);
  }
}
