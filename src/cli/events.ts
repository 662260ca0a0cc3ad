import { Command } from 'commander';
import { toIso } from '../clock.ts';
import { describeEvent } from '../events/event.ts';
import { EVENT_FILTERS } from '../events/event-filters.ts';
import { parseEventId } from '../events/event-id.ts';
import type { EventReader, Feed, ListedEvent } from '../events/event-store.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { NOT_AN_EVENT_ID, positionIn } from '../events/feed-position.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import type { Int64 } from '../int64.ts';
import type { Database } from '../storage/database.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { followEvents, PAGE } from './follow-events.ts';
import type { Io } from './io.ts';
import { table } from './output.ts';

interface Flags extends JsonFlag {
  readonly subject?: string;
  readonly type?: readonly string[];
  readonly since?: string;
  readonly follow?: true;
}

/** The widths of columns whose rows are not known yet. */
const WIDTHS = [
  toIso(0).length,
  Math.max(...EVENT_TYPES.map((type) => type.length)),
  'categories/1234567'.length,
];
const HEADINGS = ['TIME', 'TYPE', 'SUBJECT', 'BY'];

export function eventsCommand(io: Io): Command {
  const collect = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  const command = new Command('events')
    .description('list what changed, and who changed it')
    .option('--subject <subject>', 'only the events of this resource, such as pets/7')
    .option('--type <type>', 'only the events of this type (repeatable)', collect)
    .option('--since <id>', 'only what is later than this event')
    .option('--follow', 'print new events as they come, until SIGINT or SIGTERM')
    .option(...JSON_FLAG);
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: Flags, config) => {
    const filters = filtersOf(flags);
    const since = flags.since === undefined ? undefined : checkSince(flags.since);
    await withExistingDatabase(io, config, async (database) => {
      const { events } = database.read;
      const feed = await events.feed();
      const after = since === undefined ? undefined : positionOf(feed, since);
      if (flags.follow)
        return follow(io, database, { filters, feed, after: after ?? feed.newest }, flags);
      const pages = pagesOf(events, filters, after);
      if (flags.json) for await (const page of pages) await io.result(toJson(page, feed));
      else await io.result(table(HEADINGS, (await Array.fromAsync(pages)).flatMap(toRows(feed))));
    });
  });
}

async function follow(
  io: Io,
  database: Database,
  start: Parameters<typeof followEvents>[1],
  { json }: JsonFlag,
): Promise<void> {
  if (!json) await io.result(align([HEADINGS]));
  await followEvents(database, start, (page) =>
    io.result(json ? toJson(page, start.feed) : align(toRows(start.feed)(page))),
  );
}

/** One event a line. */
const toJson = (page: readonly ListedEvent[], { generation }: Feed): string[] =>
  page.map((event) => renderExactJson(describeEvent(event, generation)));

/** Rows below others that are not known yet. */
const align = (rows: readonly (readonly string[])[]): string[] =>
  rows.map((row) => row.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join('  '));

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
    type: check('type', EVENT_FILTERS.type.safeParse(type)),
  };
}

/** Before the database is opened. */
function checkSince(id: string): string {
  if (parseEventId(id) === undefined) throw new UsageError(`--since ${NOT_AN_EVENT_ID}.`);
  return id;
}

/** The position of an event after which no event is missing. */
function positionOf(feed: Feed, id: string): Int64 {
  const position = positionIn(feed, id);
  if (position === null)
    throw new CommandFailed(`The events after ${id} are not known: leave out --since.`);
  return position;
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

const toRows =
  ({ generation }: Feed) =>
  (page: readonly ListedEvent[]): string[][] =>
    page.map((event) => {
      const { actor } = describeEvent(event, generation);
      const by = actor.job ?? (actor.command && `${actor.command} (${actor.user})`);
      return [
        toIso(event.at),
        event.type,
        event.subject,
        by ?? `key ${event.keyId} (${event.keyName ?? 'unknown'})`,
      ];
    });
