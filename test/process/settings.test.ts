import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { readConfig, type SettingName } from '../../src/config/config.ts';
import { SettingError } from '../../src/config/parse-setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { runAnimalStore, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused } from './maintained.ts';

const place = useEach(workplace);

const INVALID: Readonly<Record<SettingName, readonly string[]>> = {
  host: ['two words', 'http://127.0.0.1'],
  port: ['-1', '65536', '80a', '1e3', '0x50'],
  database: ['mysql://host/animals', ':memory:', 'file:a?mode=ro', 'file:a%00.db', 'file:a%2Fb.db'],
  databaseUrlFile: ['secrets/'],
  databaseCaFile: ['certificates/'],
  databaseCertFile: ['certificates/'],
  databaseKeyFile: ['certificates/'],
  standbyUrls: ['./animals.db', 'postgres://a@b/c,', 'postgres://a@b/c,file:animals.db'],
  databaseConnections: ['1', '1001', '2.5', 'many'],
  databaseTimeoutMs: ['0s', '5', '241s', 'soon'],
  databasePrepared: ['true', '1'],
  metricsPort: ['-1', '65536', 'on'],
  metricsHost: ['two words'],
  workers: ['0', '65', 'all', '-1', '1.5'],
  environment: ['test', 'Production'],
  firstKeyFile: ['keys/'],
  logClientAddress: ['true'],
  instance: ['two words', 'a"b', 'a'.repeat(129)],
  baseUrl: ['store.test/v1', 'https://store.test'],
  stagingBaseUrl: ['/v1', 'https://store.test/v2'],
  requestTimeoutMs: ['0s', '30', '5m', 'soon', '1.5s'],
  shutdownDelayMs: ['5', '-1s', '601s', '1 m'],
  shutdownTimeoutMs: ['0ms', '-1s', '601s', '1 m'],
  extensions: ['yes', 'ON', '1'],
  console: ['true'],
  requireIfMatch: ['true'],
  requireKnownCategory: ['true'],
  eventRetentionMs: ['0', '23h', '1y', 'on'],
  orderHoldMinutes: ['0', '1.5', '10081', '30m'],
  orderRetentionMs: ['0', '23h', 'on', '1', '1.5d', '36501d', 'OFF'],
  eventStreams: ['-1', '100001', 'many'],
  webhookSecretKeys: ['secret', 'A'.repeat(44), `${'A'.repeat(43)}=,`],
  webhookConcurrency: ['0', '1001', 'many'],
  webhookAllowHttp: ['true'],
  webhookAllowedNetworks: ['10.0.0.0', '10.0.0.0/33', '10/8', 'fd00::/8,'],
  corsOrigins: ['*', 'https://shop.example/'],
  rateLimit: ['600', '0/60s', '600/0s', '600/1m', '600/60'],
  trustProxy: ['true', '1'],
  logLevel: ['loud', 'INFO'],
};

for (const [key, values] of Object.entries(INVALID)) {
  const name = key as SettingName;
  const { flag, variable, allowed } = SETTINGS[name];

  test(`${flag} cannot be empty`, () => {
    const read = () =>
      readConfig([name], { [new Option(`${flag} <value>`).attributeName()]: '' }, {});
    expect(read).toThrow(new SettingError(`${flag} must be ${allowed}.`));
  });

  test.each(values.map((value) => [value]))(`${variable} cannot be %j`, (value) => {
    const read = () => readConfig([name], {}, { [variable]: value });
    expect(read).toThrow(new SettingError(`${variable} must be ${allowed}.`));
  });
}

test('every setting has invalid values in this table', () => {
  expect(Object.keys(INVALID).sort()).toEqual(Object.keys(SETTINGS).sort());
});

test.each([
  ['port', 0, 65_535],
  ['databaseConnections', 2, 1000],
  ['workers', 1, 64],
  ['orderHoldMinutes', 1, 10_080],
  ['eventStreams', 0, 100_000],
  ['webhookConcurrency', 1, 1000],
] as const)('%s can be %d, and %d', (name, lowest, highest) => {
  for (const bound of [lowest, highest])
    expect<unknown>(SETTINGS[name].parse(String(bound))).toBe(bound);
});

test.each([
  ['workers', 'auto', Math.min(availableParallelism(), 64)],
  ['requestTimeoutMs', '1ms', 1],
  ['databaseTimeoutMs', '4m', 240_000],
  ['requestTimeoutMs', '240s', 240_000],
  ['shutdownTimeoutMs', '10m', 600_000],
  ['shutdownDelayMs', '600s', 600_000],
  ['shutdownDelayMs', '0', 0],
  ['shutdownTimeoutMs', '0', undefined],
  ['orderRetentionMs', '24h', 86_400_000],
  ['eventRetentionMs', '36500d', 36_500 * 86_400_000],
  ['database', '"my" animals.db', '"my" animals.db'],
  ['database', 'a\0.db', undefined],
  ['database', 'file://host/a.db', undefined],
  ['database', 'file:/a%20b.db', '/a b.db'],
  ['firstKeyFile', 'a\0', undefined],
  ['instance', 'a'.repeat(128), 'a'.repeat(128)],
] as const)('%s as %j is %p', (name, text, value) => {
  expect<unknown>(SETTINGS[name].parse(text)).toBe(value);
});

test.each([' ', ' a.db', 'a.db\n', 'a.db\u00a0', 'file: a.db', 'file:a.db ', 'file:a.db%20'])(
  'the database cannot be %j, which the runtime would open without the white space',
  (text) => expect(() => SETTINGS.database.parse(text)).toThrow('begins or ends with white space'),
);

test.each(['a.db-wal', 'a.db-journal', 'file:a.db-restoring', 'a.db.animal-store-unfinished'])(
  'the database cannot be %s, which belongs to another one',
  (text) => expect(() => SETTINGS.database.parse(text)).toThrow('belongs to another database'),
);

const SAME_PORT = { PORT: '8080', METRICS_PORT: '8080' };

test.each([
  {},
  { WORKERS: '2' },
  { HOST: '0.0.0.0' },
  { HOST: '::' },
  { HOST: '10.1.2.3', METRICS_HOST: '0.0.0.0' },
  { HOST: '10.1.2.3', METRICS_HOST: '10.1.2.3' },
  { HOST: 'localhost', METRICS_HOST: 'LOCALHOST' },
])('the API and the metrics cannot have one port on one address: %j', (variables) => {
  const names = Object.keys(SETTINGS) as SettingName[];
  const message =
    'PORT (--port) and METRICS_PORT (--metrics-port) must be two ports: both are 8080.';
  const read = () => readConfig(names, {}, { ...SAME_PORT, ...variables });
  expect(read).toThrow(new SettingError(message));
});

test.each([
  { HOST: '10.1.2.3' },
  { METRICS_PORT: '9464' },
  { PORT: '0', METRICS_PORT: '0' },
  { METRICS_PORT: '' },
])('the API and the metrics may have two ports or two addresses: %j', (variables) => {
  const names = ['host', 'port', 'metricsHost', 'metricsPort'] as const;
  expect(() => readConfig(names, {}, { ...SAME_PORT, ...variables })).not.toThrow();
});

test('one port for the API and the metrics fails the start with status 2 and one sentence', async () => {
  const run = await runAnimalStore(['serve', '--metrics-port', '8080'], { cwd: place.path });
  expectRefused(run, 'must be two ports: both are 8080.', 2);
  expect(place.files()).toEqual([]);
});
