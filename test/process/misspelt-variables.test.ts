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

/** Variables that shells, systemd, SSH, containers, orchestrators, platforms, runtimes and other programs set. */
const COMMON = `
  _ BASH BASH_ENV BASHOPTS BASH_VERSION CDPATH COLUMNS DIRSTACK EDITOR ENV EUID FCEDIT FPATH HISTCONTROL HISTFILE
  HISTFILESIZE HISTSIZE HOME HOSTNAME HOSTTYPE IFS INPUTRC LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES
  LC_NUMERIC LC_TIME LESS LESSCLOSE LESSOPEN LINES LOGNAME LS_COLORS MACHTYPE MAIL MAILCHECK MANPATH OLDPWD OPTARG
  OPTIND OSTYPE PAGER PATH POSIXLY_CORRECT PPID PROMPT_COMMAND PS1 PS2 PS4 PWD RANDOM SECONDS SHELL SHELLOPTS SHLVL
  TERM TERMCAP TERM_PROGRAM TMOUT TMP TMPDIR TEMP TZ UID USER USERNAME VISUAL VENDOR GROUP ZDOTDIR
  COLORTERM DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION DISPLAY GPG_AGENT_INFO GPG_TTY GTK_MODULES NO_COLOR FORCE_COLOR
  PATHEXT SESSION_MANAGER STY TMUX TMUX_PANE VTE_VERSION WAYLAND_DISPLAY WINDOWID XAUTHORITY XDG_CONFIG_HOME
  XDG_DATA_DIRS XDG_RUNTIME_DIR XDG_SEAT XDG_SESSION_ID XDG_VTNR SSH_AGENT_PID SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION
  SSH_TTY SUDO_COMMAND SUDO_GID SUDO_UID SUDO_USER
  INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LISTEN_FDNAMES LISTEN_PID MAINPID MANAGERPID NOTIFY_SOCKET SYSTEMD_EXEC_PID
  WATCHDOG_PID WATCHDOG_USEC CACHE_DIRECTORY CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY LOGS_DIRECTORY
  RUNTIME_DIRECTORY STATE_DIRECTORY
  KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_PORT_443_TCP_PORT
  KUBERNETES_PORT_443_TCP_PROTO KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS
  POD_NAME POD_NAMESPACE POD_IP HOST_IP NODE_NAME DB_PORT DB_HOST DB_URL REDIS_HOST REDIS_PORT REDIS_URL WEB_PORT
  API_HOST API_PORT API_URL APP_PORT APP_HOST APP_URL
  NOMAD_ADDR_http NOMAD_PORT_http NOMAD_HOST_PORT_http NOMAD_ALLOC_ID DYNO HEROKU_APP_NAME FLY_REGION FLY_APP_NAME
  RENDER RENDER_EXTERNAL_URL VERCEL_URL RAILWAY_ENVIRONMENT K_SERVICE K_REVISION CONTAINER container DOCKER_HOST
  COMPOSE_PROJECT_NAME
  AWS_REGION AWS_DEFAULT_REGION AWS_EXECUTION_ENV AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
  GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_ID
  PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE POSTGRES_HOST POSTGRES_PORT POSTGRES_USER POSTGRES_PASSWORD
  POSTGRES_DB DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_POOL
  http_proxy https_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ftp_proxy ALL_PROXY all_proxy NO_PROXY no_proxy SSL_CERT_FILE
  SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE
  NODE NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION YARN_VERSION BUN_INSTALL BUN_OPTIONS DEBUG CI
  INIT_CWD npm_command npm_config_cache npm_config_globalconfig npm_config_init_module npm_config_local_prefix
  npm_config_node_gyp npm_config_noproxy npm_config_prefix npm_config_user_agent npm_config_userconfig npm_execpath
  npm_lifecycle_event npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version
  GITHUB_ACTIONS GITHUB_TOKEN GITHUB_WORKSPACE RUNNER_OS GITLAB_CI CI_COMMIT_SHA BUILD_NUMBER JENKINS_URL JAVA_HOME
  GOPATH PYTHONPATH VIRTUAL_ENV LD_LIBRARY_PATH LD_PRELOAD MALLOC_ARENA_MAX SENTRY_DSN SENTRY_ENVIRONMENT
  OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME WEB_CONCURRENCY NVM_DIR NVM_BIN LOG_FORMAT LOG_FILE LOG_DIR
`
  .trim()
  .split(/\s+/);

test('no common variable is recognized as a setting', () => {
  expect(COMMON.length).toBeGreaterThan(250);
  expect(findMisspellings(COMMON, VARIABLES)).toEqual([]);
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

test.each(['serve --port 0', 'import rows.ndjson', 'keys create --name a'])(
  '%s creates no catalogue while a variable resembles DATABASE_URL',
  async (command) => {
    const { path, write, files } = place;
    await write('rows.ndjson', '{"name":"Rex","categoryId":1}\n');
    const run = await animalStore(command.split(' '), { cwd: path, variables: MISSPELT });
    expect(run.stderr).toBe(
      `${WARNINGS}animal-store: There is no catalogue at ./data/animal-store.db, and none is created while DATABSE_URL is set: correct or unset it.\n`,
    );
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(files()).toEqual(['rows.ndjson']);
  },
);

test.each(['ENVIROMENT', 'FIRST_KEYFILE', 'DATABASE_URLFILE'])(
  'keys create creates no catalogue while %s is set',
  async (variable) => {
    const { path, files } = place;
    const variables = { [variable]: 'staging' };
    const run = await animalStore(['keys', 'create', '--name', 'a'], { cwd: path, variables });
    expect(run.stderr).toEndWith(
      `none is created while ${variable} is set: correct or unset it.\n`,
    );
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(files()).toEqual([]);
  },
);

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
  const { database } = place;
  const args = ['keys', 'create', '--name', 'a', '--database', database];
  const { status, stderr } = await animalStore(args, { variables: { LOGLEVEL: 'debug' } });
  expect(stderr).toStartWith('animal-store: LOGLEVEL is not a setting; did you mean LOG_LEVEL?\n');
  expect(status).toBe(0);
});

test('serve --workers 2 on an existing catalogue prints each warning once, and serves', async () => {
  const { database } = place;
  await createKey(database);
  const flags = ['--database', database, '--port', '0', '--workers', '2'];
  const options = { variables: MISSPELT, showsKey: false };
  await using service = await startCommand(commandOf('serve', ...flags), options);
  const { origin, stop } = service;
  expect((await fetch(`${origin}/livez`)).status).toBe(200);
  const { stderr } = await stop();
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
