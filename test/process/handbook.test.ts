/** The handbook for operators: each command is executed, or the page says that it is not. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from '../support/process.ts';
import { expectShown } from '../support/shown-output.ts';
import { blocksOf, HANDBOOK, readPage, unseenLines } from './handbook.ts';
import { runBlocks } from './handbook-session.ts';

const all = HANDBOOK.flatMap(blocksOf);

describe('each block of commands', () => {
  test('is executed, or the sentence before it says that it is not', () => {
    const unproven = all.filter(({ proof }) => proof.kind === 'none' && !proof.isSaid);
    expect(unproven.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
    expect(all.filter(({ proof }) => proof.kind === 'run').length).toBeGreaterThan(30);
  });

  test('that names a test is read by it', () => {
    for (const { page, line, proof } of all) {
      if (proof.kind !== 'test') continue;
      const file = `${ROOT}${proof.file}`;
      const where = `${page}:${line} ${proof.file}`;
      expect([where, existsSync(file)]).toEqual([where, true]);
      const [name] = page.split('/').at(-1)?.split('.') ?? [];
      expect([where, readFileSync(file, 'utf8')]).toEqual([
        where,
        expect.stringContaining(`handbookBlock('${name}', '${proof.name}')`),
      ]);
    }
  });

  test('is found, and each output follows a block that is executed', () => {
    const lines = HANDBOOK.flatMap((page) =>
      unseenLines(readPage(page)).map((line) => `${page}:${line}`),
    );
    expect(lines).toEqual([]);
  });
});

const executed = HANDBOOK.map(
  (page) => [page, blocksOf(page).filter(({ proof }) => proof.kind === 'run')] as const,
).filter(([, blocks]) => blocks.length > 0);

describe('the commands of', () => {
  const sessions = new Map<string, PromiseSettledResult<string[]>>();
  beforeAll(async () => {
    const runs = executed.map(([, blocks]) => runBlocks(blocks, { limitMs: 50_000 }));
    const results = await Promise.allSettled(runs);
    for (const [index, result] of results.entries())
      sessions.set(executed[index]?.[0] ?? '', result);
  });

  test.each(executed)('%s print what the page shows', (page, blocks) => {
    const session = sessions.get(page);
    if (session?.status !== 'fulfilled') throw session?.reason;
    expectShown(page, blocks, session.value);
  });
});
