/** Each manifest of deploy/kubernetes has only fields that Kubernetes knows, with values of their types. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { builtManifests, FOLDER, type Manifest } from '../../test/deployment/kubernetes.ts';
import { ROOT, runProgram } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { inPackages } from '../installed.ts';

const TYPES: Readonly<Record<string, string>> = {
  Service: 'core/v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  Job: 'batch/v1',
  NetworkPolicy: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
};

/** The errors of the compiler in the manifests, as constants of their types. */
async function errorsIn(manifests: readonly object[]): Promise<string> {
  const folder = temporaryFolder();
  try {
    const lines = manifests.map((manifest, index) => {
      const { kind } = manifest as { kind: string };
      const text = JSON.stringify(manifest, undefined, 2);
      return `export const m${index}: import('kubernetes-types/${TYPES[kind]}').${kind} = ${text};`;
    });
    await Bun.write(folder.file('manifests.ts'), lines.join('\n'));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'ESNext',
      moduleResolution: 'bundler',
      types: [],
      paths: { 'kubernetes-types/*': [inPackages('kubernetes-types/*')] },
    };
    const config = JSON.stringify({ compilerOptions, files: ['manifests.ts'] });
    await Bun.write(folder.file('tsconfig.json'), config);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    return (await runProgram([tsc, '-p', folder.path])).stdout;
  } finally {
    folder.remove();
  }
}

const manifestsOf = (name: string) => builtManifests(name).manifests;

test.each(['sqlite', 'postgresql'])('%s', async (name) => {
  expect(await errorsIn(manifestsOf(name))).toBe('');
});

const KUBECTL = Bun.which('kubectl');

test.skipIf(KUBECTL === null).each(['sqlite', 'postgresql', 'monitoring'])(
  'kustomize builds %s as the tests read it (needs kubectl)',
  async (name) => {
    const { stdout } = await runProgram([KUBECTL ?? '', 'kustomize', join(FOLDER, name)]);
    const built = stdout.split('\n---\n').map((text) => Bun.YAML.parse(text) as Manifest);
    const namesOf = (manifests: readonly Manifest[]) =>
      manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
    const settings = built.filter(({ kind }) => kind === 'ConfigMap');
    expect(namesOf(built)).toEqual(namesOf([...manifestsOf(name), ...settings]));
    for (const { metadata } of settings)
      expect(stdout).toContain(`name: ${metadata.name}\n        image`);
    expect(stdout).not.toContain('image: animal-store');
  },
);

test('the control: a misspelt field is found', async () => {
  const text = JSON.stringify(manifestsOf('postgresql'));
  const misspelt = JSON.parse(text.replaceAll('readOnlyRootFilesystem', 'readonlyRootFilesystem'));
  expect(await errorsIn(misspelt)).toContain('readonlyRootFilesystem');
});
