import { expect, test } from 'bun:test';
import { animalStore, inWorkplace } from '../support/process.ts';

test(
  'keys create and keys rotate confirm the expiry that was asked for',
  inWorkplace(async ({ database }) => {
    const run = (...args: string[]) => animalStore(['keys', ...args, '--database', database]);
    const end = 'and expires at 2099-01-31T00:00:00.000Z. It is shown only once:\n';
    const created = await run('create', '--name', 'shop', '--expires', '2099-01-31');
    expect(created.stderr).toEndWith(`Key 1 (shop) has the scopes pets:read ${end}`);
    const rotated = await run('rotate', '1', '--expires', '2099-01-31');
    expect(rotated.stderr).toStartWith(`Key 2 (shop) has the scopes pets:read ${end}`);
    expect(rotated.stderr).toMatch(/\nThe old key 1 expires at .*Z\.\n$/);
    const { replaced } = JSON.parse((await run('rotate', '2', '--json')).stdout);
    expect(replaced).toMatchObject({ id: 2, expiresAt: expect.stringMatching(/Z$/) });
  }),
);
