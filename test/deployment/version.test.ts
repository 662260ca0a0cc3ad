/** A release has one version. The version of the interface, which the OpenAPI document has, is another. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json' with { type: 'json' };
import { ROOT } from '../support/process.ts';

const PLACES: readonly (readonly [path: string, place: RegExp])[] = [
  ['package-lock.json', /^ {2}"version": "(.*)",$/gm],
  ['package-lock.json', /^ {6}"name": "animal-store",\n {6}"version": "(.*)",$/gm],
  ['sdk/package.json', /"version": "(.*)"/g],
  ['sdk/src/version.ts', /VERSION: string = '(.*)'/g],
  ['deploy/kubernetes/sqlite/kustomization.yaml', /newTag: (.*)/g],
  ['deploy/kubernetes/postgresql/kustomization.yaml', /newTag: (.*)/g],
  ['CONTRIBUTING.md', /animal-store-(\d.*?)\.tgz/g],
  ['docs/install.md', /animal-store-(\d.*?)\.tgz/g],
  ['docs/recipes.md', /animal-store-(\d.*?)\.tgz/g],
  ['sdk/README.md', /animal-store-client-(\d.*?)\.tgz/g],
  ['test/process/package.test.ts', /animal-store-(\d.*?)\.tgz/g],
];

const found = (path: string, place: RegExp): string[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(place)].map(([, found = '']) => found);

test.each(PLACES)('%s has the version of the release at %s', (path, place) => {
  const versions = found(path, place);
  expect(versions).not.toEqual([]);
  expect([...new Set(versions)]).toEqual([version]);
});

test.each([
  ['CHANGELOG.md', /^## (\d\S*)/gm],
  ['docs/upgrade.md', /^\| (\d+\.\d+\.\d+) \|/gm],
])('%s has the version of the release first', (path, place) => {
  expect(found(path, place)[0]).toBe(version);
});
