/** Documentation and pages are loaded at their first request. */
import { expect, test } from 'bun:test';
import { createContext } from '../../../src/http/request/context.ts';
import { publicEndpoints } from '../../../src/http/routing/public-endpoints.ts';

test('files are loaded once, and again after a failure', async () => {
  let loads = 0;
  const handle = publicEndpoints({
    checkHealth: () => ({ writes: true }),
    isStopping: () => false,
    files: [
      {
        paths: /^\/page$/,
        async load() {
          loads += 1;
          if (loads === 1) throw new Error('The file cannot be read.');
          return new Map([['/page', { text: 'Hello', contentType: 'text/plain' }]]);
        },
      },
    ],
  });
  const get = async () => {
    const request = new Request('http://x/page');
    return await handle(
      request,
      createContext(request, 0, () => 'x'),
    );
  };
  await expect(get()).rejects.toThrow('The file cannot be read.');
  for (let time = 0; time < 3; time += 1) expect(await (await get()).text()).toBe('Hello');
  expect(loads).toBe(2);
});
