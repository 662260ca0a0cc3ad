import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { commandCause } from '../events/command-cause.ts';
import { Refusal, refuse } from '../http/contract/errors.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { type Int64, parseInt64 } from '../int64.ts';
import { runSteps, type Steps } from '../steps.ts';
import type { Stores } from '../storage/database.ts';
import * as creation from '../webhooks/create-webhook-endpoint.ts';
import { handleReplayWebhookDeliveries } from '../webhooks/replay-webhook-deliveries.ts';
import { handleUpdateWebhookEndpoint, prepareUpdate } from '../webhooks/update-webhook-endpoint.ts';
import * as resource from '../webhooks/webhook-resource.ts';
import { createSender, type WebhookSender } from '../webhooks/webhook-sender.ts';
import { parsePast } from './arguments.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, type DatabaseConfig, withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import type { Io } from './io.ts';
import { printedOnce, table } from './output.ts';

const NEWEST = 100;

const SETTINGS = [
  ...DATABASE_SETTINGS,
  'webhookSecretKeys',
  'webhookAllowHttp',
  'webhookAllowedNetworks',
] as const;

export const webhooksCommand = (io: Io): Command =>
  new Command('webhooks')
    .description(
      'create, list, enable, disable and replay webhook endpoints, even while the service runs',
    )
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(statusCommand(io, 'enable', 'send an endpoint events, if it accepts a ping'))
    .addCommand(statusCommand(io, 'disable', 'send an endpoint nothing until it is enabled'))
    .addCommand(replayCommand(io))
    .addCommand(deliveriesCommand(io));

function createCommand(io: Io): Command {
  type Flags = JsonFlag & { types?: string };
  const command = new Command('create')
    .description('create an endpoint, which must accept a ping, and print its secret')
    .argument('<url>', 'the URL of the receiver')
    .option('--types <types>', 'the types of its events (default: all but those of API keys)')
    .option(...JSON_FLAG);
  return withSettings(io, command, SETTINGS, async ({ types, json }: Flags, config, [url = '']) => {
    const sender = senderOf(config);
    const problem = sender.problemOf(url);
    if (problem !== undefined) throw new UsageError(`URL ${problem}.`);
    const body = resource.NewWebhookEndpoint.safeParse({ url, types: types?.split(',') });
    if (!body.success) throw new UsageError(`--types ${body.error.issues[0]?.message}.`);
    const input = inputOf(undefined, body.data);
    const prepared = accepted(await creation.prepareCreation({ sender }, input));
    const issued = await change(io, config, 'create', ({ webhooks }) =>
      creation.handleCreateWebhookEndpoint({ webhooks, clock: systemClock, prepared }, input),
    );
    const { id, secret } = issued;
    if (!json) io.message(`Endpoint ${id} was created. Its secret is shown only once:`);
    const printing = json ? io.json(issued) : io.result(secret);
    await printedOnce(printing, `Rotate the secret of endpoint ${id}.`);
  });
}

function listCommand(io: Io): Command {
  const command = new Command('list').description('list all endpoints').option(...JSON_FLAG);
  return withSettings(io, command, DATABASE_SETTINGS, async ({ json }: JsonFlag, config) => {
    const endpoints = await withExistingDatabase(io, config, async ({ read }) =>
      read.webhooks.listEndpoints(undefined, Number.MAX_SAFE_INTEGER),
    );
    const described = endpoints.map(resource.describeEndpoint);
    if (json) return io.json(described);
    const rows = described.map(({ id, url, types, status, disabledReason, failingSince }) => [
      String(id),
      url,
      types?.join(',') ?? 'all',
      status,
      disabledReason ?? (failingSince ? `failing since ${failingSince}` : ''),
    ]);
    return io.result(table(['ID', 'URL', 'TYPES', 'STATE', 'REASON'], rows));
  });
}

function senderOf(config: Parameters<typeof createSender>[0]): WebhookSender {
  const sender = createSender(config, systemClock);
  if (sender) return sender;
  throw new UsageError('WEBHOOK_SECRET_KEY must be that of the service.');
}

const ofEndpoint = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument('<id>', 'the number of the endpoint')
    .option(...JSON_FLAG);

function statusCommand(io: Io, verb: 'enable' | 'disable', description: string): Command {
  const command = ofEndpoint(verb, description);
  return withSettings(io, command, SETTINGS, async ({ json }: JsonFlag, config, [id]) => {
    const status = `${verb}d` as const;
    const sender = verb === 'enable' ? senderOf(config) : undefined;
    const input = inputOf({ endpointId: parseId(id) }, { status });
    await withExistingDatabase(io, config, async ({ read: { webhooks } }) =>
      accepted(await prepareUpdate({ webhooks, sender, clock: systemClock }, input)),
    );
    const endpoint = await change(io, config, verb, ({ webhooks }) =>
      handleUpdateWebhookEndpoint({ webhooks }, input),
    );
    return json ? io.json(endpoint) : io.result(`Endpoint ${id} is ${status}.`);
  });
}

function replayCommand(io: Io): Command {
  type Flags = JsonFlag & { after: string; until?: string; onlyFailed?: true };
  const command = ofEndpoint('replay', 'deliver the events since a time again')
    .requiredOption('--after <when>', 'the first time: a duration ago such as 24h, or a date')
    .option('--until <when>', 'the end, before which the events are (default: now)')
    .option('--only-failed', 'only events whose delivery failed');
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: Flags, config, [id]) => {
    const { onlyFailed, json } = flags;
    const now = systemClock.now();
    const after = parsePast('--after', flags.after, now);
    const until = flags.until === undefined ? undefined : parsePast('--until', flags.until, now);
    const range = { after, until, onlyFailed };
    const input = inputOf({ endpointId: parseId(id) }, range);
    const replayed = await change(io, config, 'replay', ({ webhooks }) =>
      handleReplayWebhookDeliveries({ webhooks, clock: systemClock }, input),
    );
    return json ? io.json(replayed) : io.result(`Deliveries that are due: ${replayed.count}.`);
  });
}

function deliveriesCommand(io: Io): Command {
  const command = ofEndpoint('deliveries', `list the newest ${NEWEST} deliveries of an endpoint`);
  return withSettings(io, command, DATABASE_SETTINGS, async ({ json }: JsonFlag, config, [id]) => {
    const endpointId = parseId(id);
    const described = await withExistingDatabase(io, config, async ({ read }) => {
      if ((await read.webhooks.get(endpointId)) === undefined)
        throw new CommandFailed(refuse('webhook_endpoint_not_found').message);
      const { generation } = await read.events.peek();
      const found = await read.webhooks.listDeliveries(endpointId, undefined, NEWEST);
      return found.map((delivery) => resource.describeDelivery(delivery, generation));
    });
    if (json) return io.json(described);
    const rows = described.map((delivery) => [
      String(delivery.id),
      delivery.type,
      delivery.subject,
      delivery.status,
      String(delivery.attempts),
      String(delivery.responseStatus ?? delivery.error ?? ''),
      delivery.lastAttemptAt ?? '',
      delivery.nextAttemptAt ?? '',
    ]);
    const headings = ['ID', 'TYPE', 'SUBJECT', 'STATE', 'ATTEMPTS', 'RESPONSE', 'LAST', 'NEXT'];
    return io.result(table(headings, rows));
  });
}

/** Runs the handler of an operation in a transaction. @throws CommandFailed if it refuses */
async function change<T extends { readonly body: unknown }>(
  io: Io,
  config: DatabaseConfig,
  subcommand: string,
  handle: (stores: Stores) => Steps<T | Refusal>,
): Promise<T['body']> {
  const cause = commandCause(`webhooks ${subcommand}`, systemClock);
  const outcome = await withExistingDatabase(io, config, ({ write }) =>
    write(cause, (stores) => runSteps(handle(stores))),
  );
  return accepted(outcome).body;
}

function accepted<T>(outcome: T | Refusal): T {
  if (outcome instanceof Refusal) throw new CommandFailed(outcome.message.replace(/\.?$/, '.'));
  return outcome;
}

/** What a handler gets. An operator may do everything. */
const inputOf = <Params, Body>(params: Params, body: Body) => ({
  params,
  body,
  query: undefined,
  headers: undefined,
  requestId: '',
  keyId: 0,
  scopes: new Set<string>(SCOPES),
  precondition: () => undefined,
  isGone: () => false,
});

function parseId(text = ''): Int64 {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw new UsageError('ID must be the number of an endpoint, as shown by `webhooks list`.');
}
