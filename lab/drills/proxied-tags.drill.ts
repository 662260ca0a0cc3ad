/** What nginx and HAProxy compress with the files of deploy/, and that no tag for If-Match becomes weak. */
import { describe, expect } from 'bun:test';
import { accepting, add, drillsOf, NAMES, REX } from './proxies.ts';

/** No name takes more bytes as JSON. */
const LONGEST = { name: '\u0001'.repeat(255), categoryId: 1 };

/** The longest resource of each kind that has a tag, how it is created, and how it is edited. */
const LONGEST_RESOURCES = [
  {
    path: '/v1/pets/1',
    create: { method: 'POST', path: '/v1/pets', body: { ...LONGEST, status: 'available' } },
    method: 'PATCH',
    edits: [{ categoryId: 2 }, { categoryId: 3 }],
  },
  {
    path: '/v1/categories/7',
    create: { method: 'PUT', path: '/v1/categories/7', body: { name: LONGEST.name } },
    method: 'PUT',
    edits: [{ name: `${LONGEST.name.slice(1)}a` }, { name: `${LONGEST.name.slice(1)}b` }],
  },
  {
    path: '/v1/store/orders/1',
    create: {
      method: 'POST',
      path: '/v1/store/orders',
      body: { petId: 1, note: '🐕'.repeat(1_000) },
    },
    method: 'PATCH',
    edits: [{ reference: '🐈'.repeat(100) }, { note: '"\n'.repeat(500) }],
  },
];

const encodingAndTag = ({ headers }: Response) => [
  headers.get('content-encoding'),
  headers.get('etag')?.replace(/"[^"]+"/, '"tag"'),
];

describe.each(NAMES.map((name) => [name] as const))('%s', (name) => {
  const { drill } = drillsOf(name);

  drill('compresses pages of lists, and keeps the tag of one animal strong', async (proxy) => {
    const created = await add(proxy, LONGEST, { 'Accept-Encoding': 'gzip' });
    expect(encodingAndTag(created)).toEqual([null, '"tag"']);
    for (let count = 0; count < 100; count += 1) await add(proxy, REX);
    const page = await proxy.fetch('/v1/pets?limit=100', { headers: accepting(proxy) });
    expect([encodingAndTag(page), page.headers.get('vary')]).toEqual([
      ['gzip', 'W/"tag"'],
      expect.stringMatching(/^(?=.*authorization)(?=.*accept-encoding)/i),
    ]);
    expect(await page.json()).toHaveLength(100);
    const same = { 'If-None-Match': page.headers.get('etag') ?? '' };
    const again = await proxy.fetch('/v1/pets?limit=100', { headers: accepting(proxy, same) });
    expect([again.status, await again.text()]).toEqual([304, '']);

    for (const path of ['/v1/pets?id=1', '/v1/pets?limit=2&id=1', '/v1/pets/1']) {
      const one = await proxy.fetch(path, { headers: accepting(proxy) });
      expect([path, ...encodingAndTag(one)]).toEqual([path, null, '"tag"']);
    }
    const one = await proxy.fetch('/v1/pets?id=1', { headers: accepting(proxy) });
    const change = (tag: string | null) =>
      proxy.fetch('/v1/pets/1', {
        method: 'PATCH',
        headers: accepting(proxy, {
          'Content-Type': 'application/merge-patch+json',
          'If-Match': tag ?? '',
        }),
        body: '{"status":"sold"}',
      });
    const changed = await change(one.headers.get('etag'));
    expect([changed.status, ...encodingAndTag(changed)]).toEqual([200, null, '"tag"']);
    expect((await change(one.headers.get('etag'))).status).toBe(412);
  });

  drill('keeps every tag for If-Match strong, however long the resource is', async (proxy) => {
    const send = (method: string, path: string, body?: unknown, tag?: string) =>
      proxy.fetch(path, {
        method,
        headers: accepting(proxy, {
          'Content-Type': `application/${method === 'PATCH' ? 'merge-patch+json' : 'json'}`,
          ...(tag === undefined ? {} : { 'If-Match': tag }),
        }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    for (const { path, create, method, edits } of LONGEST_RESOURCES) {
      const created = await send(create.method, create.path, create.body);
      expect([path, created.status, ...encodingAndTag(created)]).toEqual([
        path,
        201,
        null,
        '"tag"',
      ]);
      let tag = created.headers.get('etag') ?? '';
      for (const body of edits) {
        const read = await send('GET', path);
        expect([path, read.headers.get('etag')]).toEqual([path, tag]);
        const edited = await send(method, path, body, tag);
        expect([path, edited.status, ...encodingAndTag(edited)]).toEqual([
          path,
          200,
          null,
          '"tag"',
        ]);
        tag = edited.headers.get('etag') ?? '';
      }
    }
    for (const path of ['/v1/store/orders', '/v1/events?limit=5']) {
      const page = await send('GET', path);
      expect([path, ...encodingAndTag(page)]).toEqual([path, 'gzip', 'W/"tag"']);
    }
  });
});
