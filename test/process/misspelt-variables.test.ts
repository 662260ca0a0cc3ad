/** Environment variables that resemble a setting are reported. */
import { expect, test } from 'bun:test';
import { findMisspellings } from '../../src/config/misspelling.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { openScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { animalStore, commandOf, startCommand, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

const VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

const meantBy = (name: string): string | undefined => findMisspellings([name], VARIABLES)[0]?.meant;

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABASES_URLS', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['DATABASE_STANDBY_URL', 'DATABASE_STANDBY_URLS'],
  ['DATABASE_CONECTIONS', 'DATABASE_CONNECTIONS'],
  ['ENVIROMENT', 'ENVIRONMENT'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['PROT', 'PORT'],
  ['HOTS', 'HOST'],
  ['RATE_LIMITS', 'RATE_LIMIT'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
  ['WORKER', 'WORKERS'],
  ['BASE_URL_STAGING', undefined],
])('%s is recognized as %s', (name, meant) => {
  expect(meantBy(name)).toBe(meant as string);
});

test('a variable with any single typing error is recognized', () => {
  for (const variable of VARIABLES) {
    for (let at = 0; at < variable.length; at += 1) {
      const [before, letter = '', next = '', after] = [
        variable.slice(0, at),
        variable[at],
        variable[at + 1],
        variable.slice(at + 2),
      ];
      const errors = [
        `${before}${next}${after}`,
        `${before}X${next}${after}`,
        `${before}${letter}X${next}${after}`,
        `${before}${next}${letter}${after}`,
      ].filter((error) => !VARIABLES.includes(error));
      expect(errors.filter((error) => meantBy(error) === undefined)).toEqual([]);
    }
  }
});

/** Variables of shells, systemd, containers, platforms and other programs that are most like a setting. */
const COMMON = `
  BASH BASH_ENV DIRSTACK HISTSIZE HOME HOSTNAME HOSTTYPE IFS LESS LOGNAME PATH POD_NAME PPID PS1 PS2 PS4 PWD SHELL STY TERM
  TMOUT USER INVOCATION_ID LISTEN_FDS KUBERNETES_PORT KUBERNETES_SERVICE_HOST HOST_IP DB_PORT DB_HOST DB_URL REDIS_HOST
  REDIS_PORT REDIS_URL WEB_PORT API_HOST API_PORT API_URL APP_URL AWS_REGION PGHOST PGPORT POSTGRES_HOST DATABASE_HOST
  DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_POOL https_proxy HTTPS_PROXY NO_PROXY NODE NODE_ENV
  CI_COMMIT_SHA SENTRY_ENVIRONMENT WEB_CONCURRENCY LOG_FORMAT LOG_FILE LOG_DIR
  `
  .trim()
  .split(/\s+/);

test('no common variable is recognized as a setting', () => {
  expect(COMMON.filter((name) => meantBy(name) !== undefined)).toEqual([]);
});

test('a variable that resembles a set setting belongs to another program', () => {
  const names = ['DATABASE_URL', 'DATABASE_SSL', 'DATABASE_URI', 'PORT', 'PORTS', 'PORT0'];
  expect(findMisspellings(names, VARIABLES)).toEqual([]);
  expect(findMisspellings(['METRICS_HOST'], VARIABLES)).toEqual([]);
});

const MISSPELT = { DATABSE_URL: 'file:mine.db', WORKRES: '2' };
const WARNINGS =
  'animal-store: DATABSE_URL is not a setting; did you mean DATABASE_URL?\n' +
  'animal-store: WORKRES is not a setting; did you mean WORKERS?\n';

test.each([
  ['serve --port 0', 'DATABSE_URL'],
  ['import rows.ndjson', 'DATABSE_URL'],
  ['keys create --name a', 'DATABSE_URL'],
  ['keys create --name a', 'ENVIROMENT'],
  ['keys create --name a', 'FIRST_KEYFILE'],
  ['keys create --name a', 'DATABASE_URLFILE'],
])('%s creates no catalogue while %s is set', async (command, variable) => {
  await place.write('rows.ndjson', '{"name":"Rex","categoryId":1}\n');
  const variables = { [variable]: 'staging' };
  const run = await animalStore(command.split(' '), { cwd: place.path, variables });
  expect(run.stderr).toEndWith(
    `\nanimal-store: There is no catalogue at ./data/animal-store.db, and none is created while ${variable} is set: correct or unset it.\n`,
  );
  expect([run.status, run.stdout]).toEqual([2, '']);
  expect(place.files()).toEqual(['rows.ndjson']);
});

test('serve creates no tables in PostgreSQL while a variable resembles DATABASE_URL', async () => {
  await using scratch = await openScratch();
  const run = await animalStore(['serve', '--port', '0', '--database', scratch.url], {
    variables: MISSPELT,
  });
  expect(run.stderr).toStartWith(`${WARNINGS}animal-store: There is no catalogue at postgres://`);
  expect(run.stderr).toEndWith('while DATABSE_URL is set: correct or unset it.\n');
  expect([run.status, run.stdout]).toEqual([2, '']);
  const schemas = await scratch.sql`SELECT FROM pg_namespace WHERE nspname = 'animal_store'`;
  expect(schemas.count).toBe(0);
});

test('a catalogue is created while a variable resembles a setting that does not affect the catalogue', async () => {
  const args = ['keys', 'create', '--name', 'a', '--database', place.database];
  const { status, stderr } = await animalStore(args, { variables: { LOGLEVEL: 'debug' } });
  expect(stderr).toStartWith('animal-store: LOGLEVEL is not a setting; did you mean LOG_LEVEL?\n');
  expect(status).toBe(0);
});

test('serve --workers 2 on an existing catalogue prints each warning once, and serves', async () => {
  await createKey(place.database);
  const flags = ['--database', place.database, '--port', '0', '--workers', '2'];
  const options = { variables: MISSPELT, showsKey: false };
  await using service = await startCommand(commandOf('serve', ...flags), options);
  expect((await fetch(`${service.origin}/livez`)).status).toBe(200);
  const { stderr } = await service.stop();
  expect(stderr).toMatch(/^Animal Store serves .*\n$/m);
  expect(stderr.replace(/^Animal Store serves .*\n/m, '')).toBe(WARNINGS);
});

test('other commands print the warnings on standard error, and continue', async () => {
  const plain = await animalStore(['openapi']);
  const warned = await animalStore(['openapi'], { variables: MISSPELT });
  expect(warned).toEqual({ ...plain, stderr: WARNINGS });
});

test('an empty variable counts as not set, and is not reported', async () => {
  expect((await animalStore(['openapi'], { variables: { DATABSE_URL: '' } })).stderr).toBe('');
});
