import { Command } from 'commander';
import { type ApiKey, DEFAULT_SCOPES, type Environment, isUsable } from '../api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../api-keys/keyring.ts';
import { systemClock } from '../clock.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { parseExpiry, parseGrace, parseKeyId, parseScopes } from './arguments.ts';
import { commandWith } from './command.ts';
import { DATABASE_SETTINGS, withDatabase, withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { formatTime, printJson, printResult, table, tell } from './output.ts';

/** More keys than there are. */
const ALL = 2 ** 31;

interface JsonFlag {
  readonly json?: true;
}

const JSON_FLAG = ['--json', 'print the result as JSON'] as const;

/** The rules of API keys, as the command line and the first start follow them. */
export const keyringOf = (environment: Environment): Keyring =>
  new Keyring({
    clock: systemClock,
    environment,
    randomBytes: (bytes) => crypto.getRandomValues(bytes),
  });

export const keysCommand = (): Command =>
  new Command('keys')
    .description('make, list, revoke and rotate API keys, also while the service runs')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateCommand());

function createCommand(): Command {
  const { command, does } = commandWith('create', 'make an API key and show it, this once', [
    ...DATABASE_SETTINGS,
    'environment',
  ]);
  command
    .requiredOption('--name <name>', 'whom or what the key is for')
    .option(
      '--scopes <scopes>',
      `what it may do: some of ${SCOPES.join(',')}`,
      DEFAULT_SCOPES.join(','),
    )
    .option('--expires <when>', 'when it ends: a duration such as 90d, or a date (default: never)')
    .option(...JSON_FLAG);
  type Flags = JsonFlag & { name: string; scopes: string; expires?: string };
  return does<Flags>(async ({ name, scopes, expires, json }, config) => {
    if (name.trim() === '' || name.length > 100 || /\p{Cc}/u.test(name))
      throw new UsageError('--name must be 1 to 100 characters, without control characters.');
    const request = {
      name,
      scopes: parseScopes(scopes),
      expiresAt: expires === undefined ? null : parseExpiry(expires, systemClock.now()),
    };
    await withDatabase(config, async ({ write }) => {
      const keyring = keyringOf(config.environment);
      showIssued(await write(({ apiKeys }) => keyring.create(apiKeys, request)), json);
    });
  });
}

function listCommand(): Command {
  const { command, does } = commandWith('list', 'list all API keys', [
    ...DATABASE_SETTINGS,
    'environment',
  ]);
  command.option(...JSON_FLAG);
  return does<JsonFlag>(async ({ json }, config) => {
    const keys = await withExistingDatabase(config, async ({ read }) =>
      read.apiKeys.list(undefined, ALL),
    );
    if (json) {
      printJson(keys.map((key) => ({ ...describeKey(key), lastUsedAt: toIso(key.lastUsedAt) })));
      return;
    }
    const rows = keys.map((key) => [
      String(key.id),
      key.name,
      key.hint,
      key.scopes.join(','),
      stateOf(key),
      formatTime(key.createdAt, ''),
      formatTime(key.lastUsedAt, 'never'),
    ]);
    printResult(table(['ID', 'NAME', 'KEY', 'SCOPES', 'STATE', 'CREATED', 'LAST USED'], rows));
  });
}

function revokeCommand(): Command {
  const { command, does } = commandWith('revoke', 'end an API key now, for good', [
    ...DATABASE_SETTINGS,
    'environment',
  ]);
  command.argument('<id>', 'the number of the key').option(...JSON_FLAG);
  return does<JsonFlag>(async ({ json }, config, [id = '']) => {
    const keyId = parseKeyId(id);
    const key = await withExistingDatabase(config, ({ write }) =>
      write(({ apiKeys }) => keyringOf(config.environment).revoke(apiKeys, keyId)),
    );
    if (key === undefined) throw new CommandFailed(`There is no key ${keyId}.`);
    if (json) printJson(describeKey(key));
    else
      printResult(`Key ${key.id} (${key.name}) is revoked since ${formatTime(key.revokedAt, '')}.`);
  });
}

function rotateCommand(): Command {
  const { command, does } = commandWith(
    'rotate',
    'make a successor of an API key, with its name, scopes and expiry',
    [...DATABASE_SETTINGS, 'environment'],
  );
  command
    .argument('<id>', 'the number of the key')
    .option('--grace <duration>', 'how long the old key still holds', '1h')
    .option(...JSON_FLAG);
  return does<JsonFlag & { grace: string }>(async ({ grace, json }, config, [id = '']) => {
    const keyId = parseKeyId(id);
    const graceMs = parseGrace(grace);
    await withExistingDatabase(config, async ({ read, write }) => {
      const keyring = keyringOf(config.environment);
      const issued = await write(({ apiKeys }) => keyring.rotate(apiKeys, keyId, graceMs));
      if (issued === undefined)
        throw new CommandFailed(
          `Key ${keyId} cannot be rotated: it is unknown, expired or revoked, or it has a successor.`,
        );
      showIssued(issued, json);
      const old = await read.apiKeys.findById(keyId);
      if (!json) tell(`The old key ${keyId} ends at ${formatTime(old?.expiresAt ?? null, '')}.`);
    });
  });
}

function showIssued({ secret, key }: IssuedKey, json: true | undefined): void {
  const { id, name, scopes } = key;
  if (!json)
    tell(`Key ${id} (${name}) has the scopes ${scopes.join(', ')}. It is shown only this once:`);
  try {
    if (json) printJson({ ...describeKey(key), key: secret });
    else printResult(secret);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(
      `${error.message} Key ${id} was made and nobody has seen it: revoke it.`,
    );
  }
}

const toIso = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

const describeKey = ({ id, name, hint, scopes, createdAt, expiresAt, revokedAt }: ApiKey) => ({
  id,
  name,
  hint,
  scopes,
  createdAt: toIso(createdAt),
  expiresAt: toIso(expiresAt),
  revokedAt: toIso(revokedAt),
});

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== null) return 'revoked';
  if (!isUsable(key, systemClock.now())) return 'expired';
  return key.expiresAt === null ? 'valid' : `valid until ${formatTime(key.expiresAt, '')}`;
}
