import { describe, expect, test } from 'bun:test';
import { AnimalVersions } from './animal-versions.ts';

describe('the versions of an animal', () => {
  test('have no problem if each change has one author and each read is new enough', () => {
    const versions = new AnimalVersions();
    versions.acknowledge(1, 'v1-0.0', 'a');
    expect(versions.read(1, 'v1-0.0', versions.floor(1), 'b')).toBe(1);
    versions.acknowledge(1, 'v2-3.4', 'b');
    expect(versions.read(1, 'v2-3.4', versions.floor(1), 'a')).toBe(2);
    expect(versions.problems).toEqual([]);
  });

  test('may be older in a read that began before the change', () => {
    const versions = new AnimalVersions();
    const floor = versions.floor(1);
    versions.acknowledge(1, 'v1-0.0', 'a');
    versions.read(1, 'v0', floor, 'b');
    expect(versions.problems).toEqual([]);
  });

  test.each([
    [
      'an acknowledged change',
      (versions: AnimalVersions) => versions.acknowledge(1, 'v7-0.0', 'a'),
    ],
    ['another read', (versions: AnimalVersions) => void versions.read(1, 'v7-0.0', 0, 'a')],
  ])('go back in time if a read shows less than %s before it', (_what, see) => {
    const versions = new AnimalVersions();
    see(versions);
    versions.read(1, 'v6-1.0', versions.floor(1), 'b');
    expect(versions.problems).toEqual(['a read of animal 1 from b went back from version 7 to 6']);
  });

  test('have two authors if two changes made the same one', () => {
    const versions = new AnimalVersions();
    versions.acknowledge(1, 'v7-0.0', 'a');
    versions.acknowledge(1, 'v7-1.0', 'b');
    expect(versions.problems).toEqual([
      'version 7 of animal 1 has two authors: v7-0.0, acknowledged by a, and v7-1.0, acknowledged by b',
    ]);
  });

  test('are those of one animal', () => {
    const versions = new AnimalVersions();
    versions.acknowledge(1, 'v7-0.0', 'a');
    versions.acknowledge(2, 'v7-1.0', 'b');
    versions.read(2, 'v7-1.0', versions.floor(2), 'a');
    expect(versions.problems).toEqual([]);
  });

  test('have a problem if the name is of no version', () => {
    const versions = new AnimalVersions();
    versions.read(1, 'Rex', 0, 'a');
    expect(versions.problems).toContain('animal 1 has the name of no version: Rex');
  });
});
