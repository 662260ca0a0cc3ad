/** Old events are deleted from the oldest on, in small batches. A position before the deleted ones is refused. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SORTS } from '../../src/http/contract/list-query.ts';
import { deleteOldEvents } from '../../src/server/background-jobs.ts';
import type { Database } from '../../src/storage/database.ts';
import { withMethods } from '../contract/with-methods.ts';
import { ENGINES } from '../support/engines.ts';
import { readEvents } from '../support/event-requests.ts';
import { startService, type TestService } from '../support/service.ts';
import { rex } from './animals.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(ENGINES)('in $name', (engine) => {
  let service: TestService;
  /** Runs within a request, after it has read the feed. */
  let beforeList: () => Promise<void>;
  beforeEach(async () => {
    beforeList = async () => {};
    const wrap = (database: Database): Database => {
      const { events } = database.read;
      const list: typeof events.list = async (...query) => {
        await beforeList();
        return events.list(...query);
      };
      return { ...database, read: { ...database.read, events: withMethods(events, { list }) } };
    };
    service = await startService({ engine, wrap });
  });
  afterEach(() => service.close());

  const add = () => service.request('POST', '/v1/pets', { body: rex() });
  let batches: number;
  /** Deletes what is older than a day. */
  const deleteOld = async (eventRetentionMs = DAY_MS, mayGoOn = true) => {
    batches = 0;
    await service.database.read.events.feed();
    await deleteOldEvents({ ...service, eventRetentionMs }, async () => {
      batches += 1;
      return mayGoOn;
    });
  };
  const get = async (query: string) => {
    const { status, json } = await service.request('GET', `/v1/events?${query}`);
    return [status, (json as { message?: string }).message];
  };

  test('events are kept for the retention, and not longer', async () => {
    await add();
    service.clock.advance(DAY_MS);
    await deleteOld();
    expect(await readEvents(service)).toHaveLength(2);
    service.clock.advance(1 - DAY_MS);
    await add();
    service.clock.advance(DAY_MS);
    await deleteOld();
    expect(await readEvents(service)).toMatchObject([{ subject: 'pets/2' }]);
    await deleteOld(Number.POSITIVE_INFINITY);
    expect(await readEvents(service)).toHaveLength(1);
  });

  test('a position before deleted events gets 410, that of the last deleted one is valid', async () => {
    await add();
    await add();
    const all = await readEvents(service);
    const [first, second, third] = all.map(({ id }) => id);
    const { headers } = await service.request('GET', '/v1/events?limit=1');
    const cursor = /cursor=([^&>]*)/.exec(headers.get('link') ?? '')?.[1];
    service.clock.advance(DAY_MS + 1);
    await deleteOld();
    expect(await get(`after=${third}`)).toEqual([200, undefined]);
    const empty = 'The events after this one are not known. There are no events.';
    for (const id of [first, second])
      for (const sort of ['id', '-id'])
        expect(await get(`after=${id}&sort=${sort}`)).toEqual([410, empty]);
    expect(await get(`limit=1&cursor=${cursor}`)).toEqual([410, empty]);
    await add();
    const [kept] = await readEvents(service);
    expect(await get(`after=${second}`)).toEqual([
      410,
      `The events after this one are not known. The oldest one is ${kept?.id}.`,
    ]);
    expect(await readEvents(service, `&after=${third}`)).toEqual(kept ? [kept] : []);
  });

  test.each(SORTS)(
    'a page by %s whose events are deleted while it is read gets 410',
    async (sort) => {
      await add();
      await add();
      const [first] = await readEvents(service);
      service.clock.advance(DAY_MS + 1);
      await add();
      const page = `after=${first?.id}&sort=${sort}`;
      expect(await get(page)).toEqual([200, undefined]);
      beforeList = () => deleteOld();
      expect((await get(page))[0]).toBe(410);
      const [all] = await get(`sort=${sort}`);
      expect(all).toBe(200);
    },
  );

  test('an older event behind a newer one stays, so that none is missing in between', async () => {
    service.clock.advance(2 * DAY_MS);
    await add();
    service.clock.advance(-2 * DAY_MS);
    await add();
    service.clock.advance(DAY_MS + 1);
    await deleteOld();
    expect(await readEvents(service)).toMatchObject([{ subject: 'pets/1' }, { subject: 'pets/2' }]);
  });

  test('many are deleted in batches, until the service stops', async () => {
    const body = { pets: Array.from({ length: 249 }, () => rex()) };
    await service.request('POST', '/v1/pet-batches', { body });
    service.clock.advance(DAY_MS + 1);
    await deleteOld(DAY_MS, false);
    expect([batches, (await readEvents(service)).length]).toEqual([1, 150]);
    await deleteOld();
    expect([batches, await readEvents(service)]).toEqual([2, []]);
  });
});
