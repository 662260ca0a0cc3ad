/** A position of another generation is refused, so that no client takes later events for the successors of lost ones. */
import { expect, test } from 'bun:test';
import { copyCatalogue } from '../../src/transfer/catalogue-copy.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { startService } from '../support/service.ts';
import { rex } from './animals.ts';
import { PAIRS, storageOpener } from './copying.ts';

const open = storageOpener();

test.each(ENGINES)(
  'after a renewal in $name, positions and cursors are refused',
  async (engine) => {
    const service = await startService({ engine });
    for (let count = 0; count < 2; count += 1)
      await service.request('POST', '/v1/pets', { body: rex() });
    const { json, headers } = await service.request('GET', '/v1/events?limit=1');
    const [{ id = '' } = {}] = json as { id?: string }[];
    const cursor = /cursor=([^&>]*)/.exec(headers.get('link') ?? '')?.[1];
    const read = async (query: string) =>
      (await service.request('GET', `/v1/events?${query}`)).json;
    expect(await read(`after=${id}`)).toHaveLength(2);
    await service.database.write(BY_TEST, ({ events }) => events.renew());
    expect(await read(`after=${id}`)).toMatchObject({ code: 'events_expired' });
    expect(await read(`limit=1&cursor=${cursor}`)).toMatchObject({ code: 'events_expired' });
    for (const other of [`${cursor}&subject=pets/1`, `${cursor}&sort=-id`, `x${cursor?.slice(1)}`])
      expect(await read(`limit=1&cursor=${other}`)).toMatchObject({ code: 'invalid_cursor' });
    expect(await read('limit=100')).toHaveLength(3);
    await service.close();
  },
);

test.each(PAIRS)(
  'a copy from %s to %s has all events, even waiting ones, their positions, and a generation of its own',
  async (_from, _to, { from, to }) => {
    const source = (await open(from)).database;
    await source.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const { generation } = await source.read.events.feed();
    await source.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const { transfer } = source;
    await source.close();
    const target = (await open(to)).database;
    const { generation: ofTarget } = await target.read.events.feed();
    const [reader, writer] = [await transfer.openSource(), await target.transfer.openWriter()];
    await copyCatalogue(reader, writer, () => {});
    await writer.close();
    await reader.close();
    const feed = await target.read.events.feed();
    expect(feed).toEqual({ generation: expect.any(String), deletedTo: 0, oldest: 1, newest: 2 });
    expect([generation, ofTarget]).not.toContain(feed.generation);
    const listed = await target.read.events.list(EVERY, undefined, 10, true);
    expect(listed.map(({ id, subject }) => [id, subject])).toEqual([
      [1, 'pets/1'],
      [2, 'pets/2'],
    ]);
    await target.write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect((await target.read.events.feed()).newest).toBe(3);
  },
);
