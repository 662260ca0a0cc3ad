import { Command } from 'commander';
import { toIso } from '../clock.ts';
import { describeEvent } from '../events/event.ts';
import { EVENT_FILTERS } from '../events/event-filters.ts';
import { type EventId, formatEventId, parseEventId } from '../events/event-id.ts';
import type { EventReader, ListedEvent } from '../events/event-store.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import type { Int64 } from '../int64.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { printResult, table } from './output.ts';

interface Flags extends JsonFlag {
  readonly subject?: string;
  readonly type: readonly string[];
  readonly since?: string;
}

const PAGE = 1_000;

export function eventsCommand(): Command {
  const collect = (value: string, earlier: readonly string[]) => [...earlier, value];
  const command = new Command('events')
    .description('list what changed, and who changed it')
    .option('--subject <subject>', 'only the events of this resource, such as pets/7')
    .option('--type <type>', 'only the events of this type (repeatable)', collect, [])
    .option('--since <id>', 'only what is later than this event')
    .option(...JSON_FLAG);
  return withSettings(command, DATABASE_SETTINGS, async (flags: Flags, config) => {
    const filters = filtersOf(flags);
    const since = flags.since === undefined ? undefined : parseSince(flags.since);
    await withExistingDatabase(config, async ({ read: { events } }) => {
      const { generation } = await events.feed();
      const after = since && (await positionOf(events, since));
      const pages = pagesOf(events, filters, after);
      if (flags.json) return printAsJson(pages, generation);
      const found = (await Array.fromAsync(pages)).flat();
      printResult(table(['TIME', 'TYPE', 'SUBJECT', 'BY'], found.map(toRow)));
    });
  });
}

/** One event a line. */
async function printAsJson(
  pages: AsyncIterable<readonly ListedEvent[]>,
  generation: string,
): Promise<void> {
  for await (const page of pages)
    for (const event of page) printResult(renderExactJson(describeEvent(event, generation)));
}

function filtersOf({ subject, type }: Flags) {
  const check = <T>(
    flag: string,
    parsed: { data?: T; error?: { issues: { message: string }[] } },
  ) => {
    if (parsed.error) throw new UsageError(`--${flag} ${parsed.error.issues[0]?.message}.`);
    return parsed.data as T;
  };
  return {
    subject: check('subject', EVENT_FILTERS.subject.safeParse(subject)),
    type: check('type', EVENT_FILTERS.type.safeParse(type.length === 0 ? undefined : type)),
  };
}

function parseSince(text: string): EventId {
  const id = parseEventId(text);
  if (id === undefined) throw new UsageError('--since must be the id of an event.');
  return id;
}

/** The position of an event after which no event is missing. */
async function positionOf(events: EventReader, id: EventId): Promise<Int64> {
  const { generation, deletedTo, newest } = await events.feed();
  const { position } = id;
  if (id.generation === generation && position >= deletedTo && position <= newest) return position;
  throw new CommandFailed(
    `The events after ${formatEventId(id)} are not known: leave out --since.`,
  );
}

async function* pagesOf(
  events: EventReader,
  filters: ReturnType<typeof filtersOf>,
  after: Int64 | undefined,
): AsyncGenerator<readonly ListedEvent[]> {
  for (let start = after; ; ) {
    const page = await events.list({ filters, sort: 'id' }, start, PAGE, true);
    yield page;
    if (page.length < PAGE) return;
    start = page.at(-1)?.id;
  }
}

const toRow = (event: ListedEvent): string[] => {
  const { actor } = describeEvent(event, '');
  const by = actor.job ?? (actor.command && `${actor.command} (${actor.user})`);
  return [
    toIso(event.at),
    event.type,
    event.subject,
    by ?? `key ${event.keyId} (${event.keyName ?? 'unknown'})`,
  ];
};
