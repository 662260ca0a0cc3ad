import { Command } from 'commander';
import { systemClock, toIso } from '../clock.ts';
import { describeEvent } from '../events/event.ts';
import { EVENT_FILTERS, type EventFilters } from '../events/event-filters.ts';
import { parseEventId } from '../events/event-id.ts';
import type { EventReader, Feed, ListedEvent } from '../events/event-store.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { NOT_AN_EVENT_ID, positionIn } from '../events/feed-position.ts';
import type { z } from '../http/contract/zod.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import { type Network, parseNetwork } from '../http/request/networks.ts';
import type { Int64 } from '../int64.ts';
import type { Database } from '../storage/database.ts';
import { describeAttempt } from '../webhooks/webhook-resource.ts';
import { createSender, formatSecret, type WebhookSender } from '../webhooks/webhook-sender.ts';
import { DEFAULT_TYPES } from '../webhooks/webhook-store.ts';
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
}

const ATTEMPT_TIMEOUT_MS = 15_000;

/** The user of the command chooses the receiver. Nothing is sealed. */
const ANYWHERE = {
  webhookSecretKeys: [],
  webhookAllowHttp: true,
  webhookAllowedNetworks: ['0.0.0.0/0', '::/0'].map(parseNetwork) as Network[],
};

/** The widths of columns whose rows are not known yet. */
const WIDTHS = [
  toIso(0).length,
  Math.max(...EVENT_TYPES.map((type) => type.length)),
  'categories/1234567'.length,
];
const HEADINGS = ['TIME', 'TYPE', 'SUBJECT', 'BY'];

export function eventsCommand(io: Io): Command {
  const command = selecting(new Command('events'))
    .description('list what changed, and who changed it')
    .option('--follow', 'print new events as they come, until SIGINT or SIGTERM')
    .addCommand(forwardCommand(io));
  type ListFlags = Flags & { readonly follow?: true };
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: ListFlags, config) => {
    const start = startOf(flags);
    await withExistingDatabase(io, config, async (database) => {
      const { filters, feed, after } = await start(database);
      if (flags.follow)
        return follow(io, database, { filters, feed, after: after ?? feed.newest }, flags);
      const pages = pagesOf(database.read.events, filters, after);
      if (flags.json) for await (const page of pages) await io.result(toJson(page, feed));
      else await io.result(table(HEADINGS, (await Array.fromAsync(pages)).flatMap(toRows(feed))));
    });
  });
}

function forwardCommand(io: Io): Command {
  const command = selecting(new Command('forward'))
    .description('post new events to a receiver, signed as webhooks, until SIGINT or SIGTERM')
    .argument('<url>', 'the URL of the receiver, such as http://127.0.0.1:3000')
    .option('--secret <secret>', 'the secret that signs, such as whsec_… (default: a new one)');
  type ForwardFlags = Flags & { readonly secret?: string };
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: ForwardFlags, config, args) => {
    const [url = ''] = args;
    const start = startOf(flags);
    const sender = createSender(ANYWHERE, systemClock) as WebhookSender;
    const problem = sender.problemOf(url);
    if (problem !== undefined) throw new UsageError(`URL ${problem}.`);
    const secret = flags.secret === undefined ? sender.newSecret() : parseSecret(flags.secret);
    await withExistingDatabase(io, config, async (database) => {
      const { filters, feed, after = feed.newest } = await start(database);
      if (flags.secret === undefined) io.message(`The secret is ${formatSecret(secret)}.`);
      if (!flags.json) await io.result(align([[...HEADINGS.slice(0, -1), 'RESPONSE']]));
      const post = async (listed: ListedEvent): Promise<string[]> => {
        const event = describeEvent(listed, feed.generation);
        const { id, timestamp, type, subject } = event;
        const message = { url, id, body: renderExactJson(event), secrets: [secret] };
        const attempt = await sender.send(message, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS));
        const { responseStatus, error, durationMs } = attempt;
        return flags.json
          ? [renderExactJson({ id, type, subject, ...describeAttempt(attempt) })]
          : align([[timestamp, type, subject, `${responseStatus ?? error} (${durationMs} ms)`]]);
      };
      const selected = { ...filters, type: filters.type ?? DEFAULT_TYPES };
      await followEvents(database, { filters: selected, feed, after }, async (page) => {
        for (const event of page) if (!(await io.result(await post(event)))) return false;
        return true;
      });
    });
  });
}

function parseSecret(text: string): Uint8Array {
  const secret = Buffer.from(text.slice('whsec_'.length), 'base64');
  if (secret.length > 0 && formatSecret(secret) === text) return secret;
  throw new UsageError('--secret must be whsec_ and base64.');
}

function selecting(command: Command): Command {
  const collect = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  return command
    .option('--subject <subject>', 'only the events of this resource, such as pets/7')
    .option('--type <type>', 'only the events of this type (repeatable)', collect)
    .option('--since <id>', 'only what is later than this event')
    .option(...JSON_FLAG);
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

/** Checks the flags, before the database is opened. */
function startOf({ subject, type, since }: Flags) {
  const check = <T>(flag: string, { data, error }: z.ZodSafeParseResult<T>): T => {
    if (error) throw new UsageError(`--${flag} ${error.issues[0]?.message}.`);
    return data;
  };
  const filters: EventFilters = {
    subject: check('subject', EVENT_FILTERS.subject.safeParse(subject)),
    type: check('type', EVENT_FILTERS.type.safeParse(type)),
  };
  if (since !== undefined && parseEventId(since) === undefined)
    throw new UsageError(`--since ${NOT_AN_EVENT_ID}.`);
  return async ({ read }: Database) => {
    const feed = await read.events.feed();
    return { filters, feed, after: since === undefined ? undefined : positionOf(feed, since) };
  };
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
  filters: EventFilters,
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
