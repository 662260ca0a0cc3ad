import { Command } from 'commander';
import {
  type ApiKey,
  apiKeyNameProblem,
  DEFAULT_SCOPES,
  type Environment,
  environmentOf,
  isUsable,
} from '../api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../api-keys/keyring.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { commandCause } from '../events/command-cause.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { chain } from '../maybe-promise.ts';
import type { Database } from '../storage/database.ts';
import { parseExpiry, parseGrace, parseKeyId, parseScopes } from './arguments.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withDatabase, withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import type { Io } from './io.ts';
import { formatTime, printedOnce, table, toIsoOrNull } from './output.ts';

const KEY_SETTINGS = [...DATABASE_SETTINGS, 'environment'] as const;
type KeyConfig = Config<(typeof KEY_SETTINGS)[number]>;

const by = (subcommand: string) => commandCause(`keys ${subcommand}`, systemClock);

export const createKeyring = (environment: Environment): Keyring =>
  new Keyring({ clock: systemClock, environment });

export const keysCommand = (io: Io): Command =>
  new Command('keys')
    .description('create, list, revoke and rotate API keys, even while the service runs')
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io))
    .addCommand(rotateCommand(io));

function createCommand(io: Io): Command {
  type Flags = JsonFlag & { name: string; scopes: string; expires?: string };
  const command = new Command('create')
    .description('create an API key and print it')
    .requiredOption('--name <name>', 'the user or purpose of the key')
    .option('--scopes <scopes>', `some of ${SCOPES.join(',')}`, DEFAULT_SCOPES.join(','))
    .option(
      '--expires <when>',
      'when it expires: a duration such as 90d, or a date (default: never)',
    )
    .option(...JSON_FLAG);
  return withSettings(io, command, KEY_SETTINGS, async (flags: Flags, config) => {
    const { name, scopes, json } = flags;
    const problem = apiKeyNameProblem(name);
    if (problem !== undefined) throw new UsageError(`--name ${problem}.`);
    const request = { name, scopes: parseScopes(scopes), expiresAt: expiryOf(flags) ?? null };
    const create = async ({ read, write }: Database) => {
      const keyring = createKeyring(config.environment);
      const others = await read.apiKeys.list(undefined, Number.MAX_SAFE_INTEGER);
      const issued = await write(by('create'), ({ apiKeys }) => keyring.create(apiKeys, request));
      warnOfEnvironment(io, issued.key, others);
      await printIssuedKey(io, issued, json);
    };
    // A key of a new catalogue is useless if the user meant the catalogue of a service.
    await withDatabase(io, config, create, { announceCreation: true });
  });
}

/** The service refuses keys of another environment than its own. Its keys show which it is. */
function warnOfEnvironment(io: Io, key: ApiKey, others: readonly ApiKey[]): void {
  const [other] = others;
  const mine = environmentOf(key);
  if (other === undefined || others.some((one) => environmentOf(one) === mine)) return;
  const theirs = environmentOf(other);
  io.message(
    `animal-store: Key ${key.id} is of ${mine}, and all others are of ${theirs}. A service with ENVIRONMENT=${theirs} refuses it.`,
  );
}

function listCommand(io: Io): Command {
  const command = new Command('list').description('list all API keys').option(...JSON_FLAG);
  return withSettings(io, command, DATABASE_SETTINGS, async ({ json }: JsonFlag, config) => {
    const keys = await withExistingDatabase(io, config, async ({ read }) =>
      read.apiKeys.list(undefined, Number.MAX_SAFE_INTEGER),
    );
    if (json)
      return io.json(
        keys.map((key) => ({ ...describeKey(key), lastUsedAt: toIsoOrNull(key.lastUsedAt) })),
      );
    const rows = keys.map((key) => [
      String(key.id),
      key.name,
      key.hint,
      key.scopes.join(','),
      stateOf(key),
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
    ]);
    return io.result(table(['ID', 'NAME', 'KEY', 'SCOPES', 'STATE', 'CREATED', 'LAST USED'], rows));
  });
}

function revokeCommand(io: Io): Command {
  const command = new Command('revoke')
    .description('revoke an API key permanently')
    .argument('<id>', 'the number of the key')
    .option(...JSON_FLAG);
  const revoke = async ({ json }: JsonFlag, config: KeyConfig, [id = '']: readonly string[]) => {
    const keyId = parseKeyId(id);
    const key = await withExistingDatabase(io, config, ({ write }) =>
      write(by('revoke'), ({ apiKeys }) =>
        createKeyring(config.environment).revoke(apiKeys, keyId),
      ),
    );
    if (key === undefined) throw new CommandFailed(`There is no key ${keyId}.`);
    if (json) return io.json(describeKey(key));
    return io.result(`Key ${key.id} (${key.name}) was revoked at ${formatTime(key.revokedAt)}.`);
  };
  return withSettings(io, command, DATABASE_SETTINGS, revoke, ['environment']);
}

function rotateCommand(io: Io): Command {
  type Flags = JsonFlag & { grace: string; expires?: string };
  const command = new Command('rotate')
    .description('create a successor of an API key, with the same name and scopes')
    .argument('<id>', 'the number of the key')
    .option('--grace <duration>', 'how long the old key stays valid', '1h')
    .option(
      '--expires <when>',
      'when the successor expires: a duration such as 90d, or a date (default: when the old key would have expired)',
    )
    .option(...JSON_FLAG);
  const rotate = async (flags: Flags, config: KeyConfig, [id = '']: readonly string[]) => {
    const { json } = flags;
    const keyId = parseKeyId(id);
    const rotation = { graceMs: parseGrace(flags.grace), expiresAt: expiryOf(flags) };
    await withExistingDatabase(io, config, async ({ write }) => {
      const keyring = createKeyring(config.environment);
      const [issued, old] = await write(by('rotate'), ({ apiKeys }) =>
        chain(keyring.rotate(apiKeys, keyId, rotation), (successor) =>
          chain(apiKeys.findById(keyId), (key) => [successor, key] as const),
        ),
      );
      if (issued === undefined || old === undefined)
        throw new CommandFailed(
          `Key ${keyId} cannot be rotated: it does not exist, is expired or revoked, or already has a successor.`,
        );
      await printIssuedKey(io, issued, json, { replaced: describeKey(old) });
      if (!json && old.expiresAt !== null)
        io.message(`The old key ${keyId} expires at ${formatTime(old.expiresAt)}.`);
    });
  };
  // Scripts for staging name the environment, although the key has one.
  return withSettings(io, command, KEY_SETTINGS, rotate);
}

const expiryOf = ({ expires }: { expires?: string }): number | undefined =>
  expires === undefined ? undefined : parseExpiry(expires, systemClock.now());

/** @param others further fields of the JSON. */
async function printIssuedKey(
  io: Io,
  { secret, key }: IssuedKey,
  json: true | undefined,
  others: object = {},
): Promise<void> {
  const { id, name, scopes, expiresAt } = key;
  if (!json) {
    const end = expiresAt === null ? '' : ` and expires at ${formatTime(expiresAt)}`;
    io.message(
      `Key ${id} (${name}) has the scopes ${scopes.join(', ')}${end}. It is shown only once:`,
    );
  }
  const printing = json
    ? io.json({ ...describeKey(key), key: secret, ...others })
    : io.result(secret);
  await printedOnce(printing, `Key ${id} was created but could not be shown: revoke it.`);
}

const describeKey = ({ id, name, hint, scopes, createdAt, expiresAt, revokedAt }: ApiKey) => ({
  id,
  name,
  hint,
  scopes,
  createdAt: toIsoOrNull(createdAt),
  expiresAt: toIsoOrNull(expiresAt),
  revokedAt: toIsoOrNull(revokedAt),
});

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== null) return 'revoked';
  if (!isUsable(key, systemClock.now())) return 'expired';
  return key.expiresAt === null ? 'valid' : `valid until ${formatTime(key.expiresAt)}`;
}
