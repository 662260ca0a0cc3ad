/** The built SDK on each line of Node.js, from the oldest that it supports to the newest with long-term support. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openPlatforms, type Platforms } from '../../test/sdk/platforms.ts';
import { runProgram } from '../../test/support/process.ts';
import { installProject } from './installed-project.ts';

const LINES = ['20', '22', '24', '26'];
const HAS_BINARIES = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!HAS_BINARIES)('on Linux x64, the scenarios of the SDK pass', () => {
  let platforms: Platforms;
  let installed: string;
  beforeAll(async () => {
    installed = installProject('node');
    platforms = await openPlatforms();
  });
  afterAll(() => platforms?.close());

  test.each(LINES)('on Node.js %s', async (line) => {
    const node = join(installed, `node_modules/node-${line}/bin/node`);
    const { stdout } = await runProgram([node, '--version']);
    expect(stdout).toStartWith(`v${line}.`);
    for (const script of ['run.js', 'run-without-source-text.js'] as const)
      await platforms.expectAllPass((it) => platforms.runProcess(node, script, it));
  });
});
