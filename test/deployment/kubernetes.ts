/** Reads deploy/kubernetes as kustomize does, which npm and Debian do not have in a current version. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';

export const FOLDER = join(ROOT, 'deploy/kubernetes');

export type Labels = Readonly<Record<string, string>>;
interface Named {
  readonly name: string;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container extends Named {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly object[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: object;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Pod {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes?: readonly Named[];
    readonly securityContext: object;
    readonly shareProcessNamespace?: boolean;
    readonly terminationGracePeriodSeconds?: number;
  };
}

/** What the tests read of a manifest. The drill checks all fields against the types of Kubernetes. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec: {
    readonly template: Pod;
    /** Of a Service the labels themselves. */
    readonly selector: Labels | { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly endpoints?: readonly { readonly port: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[];
  };
}

/** The labels that a manifest selects. */
export const selectedBy = ({ spec: { selector, podSelector } }: Manifest): Labels =>
  ((selector ?? podSelector) as { matchLabels?: Labels }).matchLabels ?? (selector as Labels);

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator?: readonly { readonly literals: readonly string[] }[];
  readonly images?: readonly { readonly name: string; readonly newTag: string }[];
}

const parse = <T>(path: string): T => Bun.YAML.parse(readFileSync(path, 'utf8')) as T;

const kustomizationOf = (folder: string) =>
  parse<Kustomization>(join(folder, 'kustomization.yaml'));

const isFolder = (path: string) => statSync(path).isDirectory();

/** The folders of a kustomization, its own first. */
const foldersOf = (folder: string): string[] => [
  folder,
  ...kustomizationOf(folder)
    .resources.map((name) => join(folder, name))
    .filter(isFolder)
    .flatMap(foldersOf),
];

/** The files of the manifests that a kustomization builds. */
export const manifestFiles = (folder: string): string[] =>
  foldersOf(folder).flatMap((one) =>
    kustomizationOf(one)
      .resources.map((name) => join(one, name))
      .filter((path) => !isFolder(path)),
  );

/** What a kustomization of deploy/kubernetes builds. It knows the few features of kustomize that they use. */
export function builtManifests(name: string) {
  const folder = join(FOLDER, name);
  const kustomizations = foldersOf(folder).map(kustomizationOf);
  const literals = kustomizations.flatMap(({ configMapGenerator = [] }) =>
    configMapGenerator.flatMap((generator) => generator.literals),
  );
  return {
    manifests: manifestFiles(folder).map((path) => parse<Manifest>(path)),
    settings: Object.fromEntries(literals.map((text) => text.split(/=(.*)/))) as Record<
      string,
      string
    >,
    images: Object.fromEntries(
      kustomizations.flatMap(({ images = [] }) =>
        images.map((image) => [image.name, image.newTag]),
      ),
    ) as Record<string, string>,
  };
}
