/** The built SDK on each line of Node.js, from the oldest that it supports to the newest with long-term support. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPlatforms, type Platforms } from '../../test/sdk/platforms.ts';
import { runProgram } from '../../test/support/process.ts';
import { inPackages } from '../installed.ts';

const LINES = ['20', '22', '24', '26'];
const HAS_BINARIES = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!HAS_BINARIES)('on Linux x64, the scenarios of the SDK pass', () => {
  let platforms: Platforms;
  beforeAll(async () => {
    platforms = await openPlatforms();
  });
  afterAll(() => platforms?.close());

  test.each(LINES)('on Node.js %s', async (line) => {
    const node = inPackages(`node-${line}/bin/node`);
    const { stdout } = await runProgram([node, '--version']);
    expect(stdout).toStartWith(`v${line}.`);
    for (const script of ['run.js', 'run-without-source-text.js'] as const)
      await platforms.expectAllPass((it) => platforms.runProcess(node, script, it));
  });
});
