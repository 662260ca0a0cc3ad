/** The manifests of deploy/kubernetes fit together, the service and its image. No cluster runs them here. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { version } from '../../package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config/settings.ts';
import { isHealthCheck } from '../../src/http/request/health-check.ts';
import { ROOT } from '../support/process.ts';
import {
  builtManifests,
  FOLDER,
  type Labels,
  type Manifest,
  manifestFiles,
  selectedBy,
} from './kubernetes.ts';

const DOCKERFILE = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
const IMAGE = Object.fromEntries(
  [...DOCKERFILE.matchAll(/^(?:ENV | {4})([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
) as Labels;

const matches = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const settingOf = (variable: string) =>
  Object.values(SETTINGS).find((setting) => setting.variable === variable);

const millisecondsOf = (variable: string, value?: string): number => {
  const setting = settingOf(variable);
  return Number(setting?.parse(value ?? (setting as { default: string }).default));
};

test('each file is built by a kustomization', () => {
  const built = ['sqlite', 'postgresql', 'monitoring'].flatMap((name) =>
    manifestFiles(join(FOLDER, name)),
  );
  const files = [...new Bun.Glob('**/*.yaml').scanSync({ cwd: FOLDER, absolute: true })];
  const others = files.filter((path) => basename(path) !== 'kustomization.yaml');
  expect([...new Set(built)].sort()).toEqual(others.sort());
});

test('the metrics are found by their labels and their port, as the job of the alert rules', () => {
  const [monitor] = builtManifests('monitoring').manifests;
  const [service] = builtManifests('sqlite').manifests.filter(({ kind }) => kind === 'Service');
  expect(selectedBy(monitor as Manifest)).toEqual(service?.metadata.labels as Labels);
  const names = service?.spec.ports?.map(({ name }) => name);
  for (const { port } of monitor?.spec.endpoints ?? []) expect(names).toContain(port);
  expect(service?.metadata.name).toBe('animal-store');
});

describe.each(['sqlite', 'postgresql'])('with %s', (name) => {
  const { manifests, settings, images } = builtManifests(name);
  const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
  const workloads = ofKind('StatefulSet', 'Deployment', 'Job');
  const servers = ofKind('StatefulSet', 'Deployment');
  const podOf = ({ spec }: Manifest) => spec.template;
  const containerOf = (workload: Manifest) => podOf(workload).spec.containers[0];

  test('there is one server, and each selector finds it or all pods', () => {
    const foundBy = (selecting: Manifest) =>
      workloads.filter((it) => matches(selectedBy(selecting), podOf(it).metadata.labels));
    expect(servers).toHaveLength(1);
    for (const it of [...servers, ...ofKind('PodDisruptionBudget', 'Service')])
      expect(foundBy(it)).toEqual(servers);
    for (const it of ofKind('NetworkPolicy')) expect(foundBy(it)).toEqual(workloads);
  });

  test('ports by name are those of the server, with the numbers of the image and the settings', () => {
    const ports = servers.flatMap((it) => containerOf(it).ports ?? []);
    expect(ports.map(({ name, containerPort }) => [name, String(containerPort)])).toEqual([
      ['http', IMAGE['PORT'] ?? ''],
      ['metrics', settings['METRICS_PORT'] ?? ''],
    ]);
    const names = ports.map((port) => port.name);
    const used = [
      ...ofKind('Service').flatMap(({ spec }) => spec.ports?.map((it) => it.targetPort) ?? []),
      ...ofKind('NetworkPolicy')
        .flatMap(({ spec }) => spec.ingress ?? [])
        .flatMap((rule) => rule.ports.map(({ port }) => port)),
    ];
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((port) => !names.includes(port))).toEqual([]);
  });

  test('the probes ask for health, on a port of the server', () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(servers[0] as Manifest);
    const probes = [startupProbe, livenessProbe, readinessProbe].map((it) => it?.httpGet);
    expect(probes).toEqual([
      { path: '/livez', port: 'http' },
      { path: '/livez', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    expect(probes.every((it) => isHealthCheck(it?.path))).toBe(true);
  });

  test('a stop has the time that the service takes', () => {
    const seconds = podOf(servers[0] as Manifest).spec.terminationGracePeriodSeconds;
    const neededMs =
      millisecondsOf('SHUTDOWN_DELAY', settings['SHUTDOWN_DELAY']) +
      millisecondsOf('SHUTDOWN_TIMEOUT', settings['SHUTDOWN_TIMEOUT']);
    expect((seconds ?? 0) * 1000).toBeGreaterThan(neededMs);
  });

  test('each variable is a setting with a valid value', () => {
    const variables = workloads.flatMap((it) => containerOf(it).env ?? []);
    const set = [
      ...variables.map(({ name, value }) => [name, value] as const),
      ...Object.entries(settings),
    ];
    for (const [variable = '', value = ''] of set) {
      expect([variable, settingOf(variable)]).toEqual([variable, expect.anything()]);
      if (value !== '')
        expect([variable, settingOf(variable)?.parse(value)]).not.toContain(undefined);
    }
  });

  test.each(workloads.map((it) => [it.kind, it] as const))(
    'the pod of the %s is restricted, as the user of the image, and reads what is mounted',
    (_kind, workload) => {
      const { spec } = podOf(workload);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      });
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: Number(/^USER (\d+)$/m.exec(DOCKERFILE)?.[1]),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const container = containerOf(workload);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({ requests: {}, limits: { memory: '512Mi' } });
      expect(images).toEqual({ [container.image]: version });
      const [command = 'serve'] = container.args ?? [];
      // As the first process of a container, a command other than serve ignores SIGTERM.
      expect(spec.shareProcessNamespace ?? false).toBe(command !== 'serve');
      expect(existsSync(join(ROOT, `src/cli/${command}.ts`))).toBe(true);
      const volumes = [
        ...(spec.volumes ?? []).map((it) => it.name),
        ...(workload.spec.volumeClaimTemplates ?? []).map((it) => it.metadata.name),
      ];
      const mounts = container.volumeMounts;
      expect(mounts.map((mount) => mount.name).sort()).toEqual(volumes.sort());
      const variables: Labels = Object.fromEntries(
        (container.env ?? []).map((it) => [it.name, it.value]),
      );
      const { DATABASE_URL, FIRST_KEY_FILE } = IMAGE;
      const files = [variables['DATABASE_URL'] ?? DATABASE_URL, variables['DATABASE_URL_FILE']];
      if (command === 'serve') files.push(FIRST_KEY_FILE);
      for (const file of files.filter(Boolean))
        expect(mounts.some(({ mountPath }) => file?.startsWith(`${mountPath}/`))).toBe(true);
    },
  );

  test('the settings of the server are the generated ones', () => {
    const references = servers.flatMap((it) => containerOf(it).envFrom ?? []);
    expect(references).toEqual([{ configMapRef: { name: 'animal-store-settings' } }]);
    expect(settings).toHaveProperty('BASE_URL');
  });
});
