import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { commandCause } from '../events/command-cause.ts';
import { chain } from '../maybe-promise.ts';
import { withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { tellDisabledEndpoints } from './disabled-endpoints.ts';
import type { Io } from './io.ts';

const COMMAND = 'renew-events';

export function renewEventsCommand(io: Io): Command {
  const command = new Command(COMMAND).description(
    'after a restore by other programs: begin a new generation of events, so that no client misses a gap',
  );
  return withSettings(io, command, DATABASE_SETTINGS, async (_flags, config) => {
    const disabled = await withExistingDatabase(io, config, ({ write }) =>
      write(
        commandCause(COMMAND, systemClock),
        ({ events, webhooks }) => chain(events.renew(), () => webhooks.disableRestored()),
        { isLong: true },
      ),
    );
    io.message('The events have a new generation. Clients that follow them start again.');
    tellDisabledEndpoints(io, disabled);
  });
}
