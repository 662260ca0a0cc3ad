/** The files of deploy/ name settings and files that exist. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../src/cli/exit-status.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { METRICS } from '../../src/observe/metrics/catalogue.ts';
import { alertRules, metricNames, readDeployed } from '../support/alert-rules.ts';
import { isInImageContext } from '../support/image-context.ts';
import { ROOT } from '../support/process.ts';

const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const VARIABLES = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));

const defaultOf = (name: 'shutdownDelayMs' | 'shutdownTimeoutMs') =>
  SETTINGS[name].parse(SETTINGS[name].default);

type Service = Readonly<Record<'volumes' | 'secrets', readonly string[]>>;
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly secrets: object;
}

test('each series of each alert rule is of the job animal-store', () => {
  const rules = alertRules();
  expect(rules.length).toBeGreaterThan(0);
  for (const { expr } of rules) {
    for (const [series] of expr.matchAll(/\b(?:up|animal_store_\w+|process_\w+)\b[^)\s]*/g))
      expect(series).toMatch(/^\w+\{job="animal-store"[,}]/);
  }
});

test.each(['prometheus/alerts.yml', 'grafana/animal-store.json'])(
  'each metric of %s is declared',
  (path) => {
    const names = metricNames(readDeployed(path));
    const series = Object.entries(METRICS).flatMap(([name, { type }]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name],
    );
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !series.includes(name))).toEqual([]);
  },
);

test('docs/failures.md names each alert and no other, with the section to which it leads', () => {
  const page = readFileSync(`${ROOT}docs/failures.md`, 'utf8');
  const sections = [...page.matchAll(/^\| `(AnimalStore\w+)` \| \[.*?\]\((#.*?)\)/gm)];
  const urlOf = (anchor = '') => `https://docs.example/failures.md${anchor}`;
  expect(
    alertRules()
      .map(({ alert, annotations }) => [alert, annotations.runbook_url])
      .sort(),
  ).toEqual(sections.map(([, alert = '', anchor]) => [alert, urlOf(anchor)]).sort());
  const named = new Set(page.match(/\bAnimalStore[A-Z]\w+\b/g));
  expect([...named].sort()).toEqual(sections.map(([, alert = '']) => alert).sort());
});

test('compose.yaml names settings, volumes, secrets and a Dockerfile that exist', () => {
  const { services, volumes, secrets } = Bun.YAML.parse(read('docker/compose.yaml')) as Compose;
  expect(services).toMatchObject({
    // The image creates its database with a server that accepts no TCP.
    postgres: { healthcheck: { test: expect.arrayContaining(['--host=127.0.0.1']) } },
    // As the first process of a container, commands such as import ignore SIGTERM.
    store: { init: true, build: { context: '../..', dockerfile: 'deploy/docker/Dockerfile' } },
  });
  const { environment } = services['store'] as Service & { environment: object };
  expect(Object.keys(environment).filter((name) => !VARIABLES.has(name))).toEqual([]);
  for (const service of Object.values(services)) {
    for (const volume of service.volumes)
      expect(volumes).toHaveProperty(volume.split(':')[0] ?? '');
    for (const secret of service.secrets) expect(secrets).toHaveProperty(secret);
  }
});

test('the Dockerfile sets settings that exist, and copies the executable that the build makes', () => {
  const text = read('docker/Dockerfile');
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(text)?.[1] ?? '';
  const names = [...block.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name ?? '');
  expect(names).toContain('DATABASE_URL');
  expect(names.filter((name) => !VARIABLES.has(name))).toEqual([]);
  expect(text).toContain('/build/dist/animal-store');
  expect(readFileSync(join(ROOT, 'scripts/build-executable.ts'), 'utf8')).toContain(
    'dist/animal-store',
  );
});

test('the Dockerfile installs the packages before it copies the sources, and runs as a numeric user', () => {
  const directives = read('docker/Dockerfile').match(/^[A-Z]+ .*$/gm) ?? [];
  const steps = directives.filter((line) => /^(COPY (?!--from)|RUN npm|USER)/.test(line));
  expect(steps).toEqual([
    'COPY package.json package-lock.json ./',
    'RUN npm ci --omit=dev',
    'COPY . .',
    'RUN npm run build',
    expect.stringMatching(/^USER [1-9]\d*$/),
  ]);
});

const SECRETS = ['deploy/docker/postgres-password', 'deploy/docker/database-url', 'data/store.db'];

test.each([...SECRETS, '.env', '.git/config', 'first-key', 'node_modules/bun/bin/bun'])(
  'the build of the image does not get %s',
  (path) => {
    expect(isInImageContext(path)).toBe(false);
  },
);

test.skipIf(!Bun.which('git'))('git ignores passwords and catalogues (needs git)', () => {
  // The handbook writes the last two into the folder in which its commands run.
  const secrets = [...SECRETS, 'database-url', 'first-key'];
  const { stdout } = Bun.spawnSync(['git', 'check-ignore', '--no-index', ...secrets], {
    cwd: ROOT,
  });
  expect(stdout.toString().trim().split('\n')).toEqual(secrets);
});

const SERVICES = ['animal-store.service', 'animal-store@.service'];

test.each(SERVICES)('%s sets settings that exist, and waits longer than a shutdown', (name) => {
  const text = read(`systemd/${name}`);
  const names = [...text.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name ?? '');
  expect(names).toContain('DATABASE_URL');
  expect(names.filter((name) => !VARIABLES.has(name))).toEqual([]);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) * 1000).toBeGreaterThan(
    (defaultOf('shutdownDelayMs') ?? 0) + (defaultOf('shutdownTimeoutMs') ?? 0),
  );
});

/** The directives of a unit, without comments. */
const directivesOf = (name: string): string[] =>
  read(`systemd/${name}`)
    .split('\n')
    .filter((line) => /^[A-Z]\w*=/.test(line));

test('the unit of a store starts the service after the network and the clock are ready', () => {
  const directives = directivesOf('animal-store.service');
  expect(directives).toContain('Wants=network-online.target time-sync.target');
  expect(directives).toContain('After=network-online.target time-sync.target');
});

test('systemd starts a store again without end, but not with a wrong setting', () => {
  const directives = directivesOf('animal-store.service');
  expect(directives).toContain('StartLimitIntervalSec=0');
  expect(directives).toContain('Restart=always');
  expect(directives).toContain(`RestartPreventExitStatus=${EXIT.usage}`);
});

test('the unit of several stores is that of one store, with a user, folder and environment of its own', () => {
  const named = directivesOf('animal-store.service')
    .map((line) => line.replace(/^(Description=.*)$/, '$1 %i'))
    .map((line) => line.replace(/^(User|StateDirectory)=animal-store$/, '$1=animal-store-%i'))
    .map((line) => line.replace('/var/lib/animal-store', '/var/lib/animal-store-%i'))
    .map((line) => line.replace('=-/etc/animal-store/', '=/etc/animal-store-%i/'));
  expect(directivesOf('animal-store@.service').sort()).toEqual(
    [...named, 'Environment=INSTANCE=%i'].sort(),
  );
});

test('the unit of the backup is protected like that of a store', () => {
  const protectionOf = (name: string) => {
    const directives = directivesOf(name);
    return directives.slice(
      directives.findIndex((line) => line.startsWith('UMask=')),
      directives.findIndex((line) => line.startsWith('SystemCallFilter=')) + 1,
    );
  };
  expect(protectionOf('animal-store.service').length).toBeGreaterThan(15);
  expect(protectionOf('animal-store-backup@.service')).toEqual(
    protectionOf('animal-store.service'),
  );
});

test('the unit of the backup reads the settings of the service, so that it backs up the database of the service', () => {
  const directives = directivesOf('animal-store-backup@.service');
  expect(directives.filter((line) => /^Environment(File)?=(-|DATABASE_URL)/.test(line))).toEqual([
    'Environment=DATABASE_URL=/var/lib/%i/animal-store.db',
    // A file takes precedence over the line above, and the later file over the earlier one.
    'EnvironmentFile=-/etc/%i/environment',
    'EnvironmentFile=-/etc/%i/backup',
  ]);
});

test('both files of HAProxy have the same rules for requests, and the same limits of a head', () => {
  const rulesOf = (path: string) =>
    read(path)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^(acl|compression|http-request|timeout http-)/.test(line))
      .filter((line) => !line.startsWith('http-request redirect'))
      .sort();
  const rules = rulesOf('haproxy/haproxy.cfg');
  expect(rules.length).toBeGreaterThan(6);
  expect(rulesOf('high-availability/haproxy.cfg')).toEqual(rules);
});

test('the recipes for log shippers lead from the pods to a store, by steps that exist', () => {
  type Steps = Readonly<Record<string, { readonly inputs: readonly string[] }>>;
  type Vector = Readonly<Record<'sources' | 'transforms' | 'sinks', Steps>>;
  const { sources, transforms, sinks } = Bun.YAML.parse(read('logs/vector.yaml')) as Vector;
  for (const { inputs } of Object.values({ ...transforms, ...sinks }))
    for (const input of inputs) expect({ ...sources, ...transforms }).toHaveProperty([input]);

  expect(Bun.YAML.parse(read('logs/otel-collector.yaml'))).toMatchObject({
    // The operator container needs the path of the file.
    receivers: { filelog: { include_file_path: true } },
    exporters: { otlp: {} },
    service: { pipelines: { logs: { receivers: ['filelog'], exporters: ['otlp'] } } },
  });

  const alloy = read('logs/config.alloy');
  const defined = [...alloy.matchAll(/^([a-z.]+) "(\w+)" \{$/gm)].map(
    ([, kind, name]) => `${kind}.${name}`,
  );
  const used = [...alloy.matchAll(/\b([a-z]+\.[a-z]+\.\w+)\.(?:receiver|targets)\b/g)];
  expect(used).toHaveLength(3);
  for (const [, component = ''] of used) expect(defined).toContain(component);
});
