/** The scenarios of the SDK on this runtime, against real services behind a proxy with faults. Drills have other platforms. */
import { afterAll, beforeAll, test } from 'bun:test';
import { openPlatforms, type Platforms } from './platforms.ts';

let platforms: Platforms;
beforeAll(async () => {
  platforms = await openPlatforms();
});
afterAll(() => platforms?.close());

test('all scenarios pass', () =>
  platforms.expectAllPass((it) => platforms.runProcess(process.execPath, 'run.js', it)));
