import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { inWorkplace, TEST_LIMIT_MS } from '../support/process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

test(
  'a log that cannot be written does not keep the service from serving, nor from stopping',
  inWorkplace(async ({ database }) => {
    const args = [process.execPath, MAIN, 'serve', '--port', '0', '--database', database];
    const service = Bun.spawn(['sh', '-c', 'exec "$0" "$@" >/dev/full', ...args], {
      stderr: 'pipe',
    });
    const words = service.stderr.getReader();
    let greeting = '';
    while (!greeting.includes('/docs')) {
      const { value, done } = await words.read();
      if (done) break;
      greeting += new TextDecoder().decode(value);
    }
    const origin = /(http:\/\/127\.0\.0\.1:\d+)\/docs/.exec(greeting)?.[1];
    for (let call = 0; call < 3; call += 1) {
      expect((await fetch(`${origin}/livez`)).status).toBe(200);
    }
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  }),
  TEST_LIMIT_MS,
);
