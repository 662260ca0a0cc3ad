import { expect, test } from 'bun:test';
import { BadFlag } from './failure.ts';
import { readOptions } from './options.ts';

const SERVERS = ['bun-serve', 'bun-serve-100', 'create-limit', 'elysia', 'fastify'];

test('the check measures its own workloads, in at least twelve rounds', () => {
  const options = readOptions(['--check'], SERVERS);
  const guarded = ['hot-list', 'cold-list', 'one-animal', 'create-32', 'create-128'] as const;
  expect(options?.workloads).toEqual([...guarded]);
  expect(options?.rounds).toBeGreaterThanOrEqual(12);
});

test('the check measures the named workloads, also those on PostgreSQL', () => {
  const options = readOptions(['--check', '--only', 'pg-create,mixed'], SERVERS);
  expect(options?.workloads).toEqual(['mixed', 'pg-create']);
});

test.each([
  [['--check', '--quick']],
  [['--check', '--against', 'elysia']],
  [['--check', '--only', 'growth']],
  [['--only', 'nothing']],
])('%j is refused', (args) => {
  expect(() => readOptions(args, SERVERS)).toThrow(BadFlag);
});
