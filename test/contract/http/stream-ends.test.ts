/** When and how a stream of events ends. */
import { describe, expect, spyOn, test } from 'bun:test';
import { BY_TEST } from '../../support/cause.ts';
import { useEach } from '../../support/use-each.ts';
import { startStreamedService } from '../streamed-service.ts';

const service = useEach(() => startStreamedService());

describe('a stream ends', () => {
  test('when its client closes it, which the log says', async () => {
    const reader = await service.open('', { headers: { 'X-Request-Id': 'stream-1' } });
    await service.addRex();
    await service.receive(reader, 1);
    service.clock.advance(1_500);
    expect(service.streams.lagSeconds).toBe(1.5);
    await reader.close();
    expect([service.streams.open, service.streams.lagSeconds]).toEqual([0, 0]);
    const [end] = service.observed.filter(({ kind }) => kind === 'event_stream_ended');
    expect(end).toEqual({
      kind: 'event_stream_ended',
      requestId: 'stream-1',
      keyId: 1,
      reason: 'client_closed',
      openSeconds: 1.5,
      sentEvents: 1,
    });
    const requests = service.observed.filter(({ kind }) => kind === 'request');
    expect(requests.some((each) => 'requestId' in each && each.requestId === 'stream-1')).toBe(
      true,
    );
  });

  test.each<[string, (id: number) => Promise<unknown>]>([
    ['is revoked', (id) => service.request('DELETE', `/v1/api-keys/${id}`)],
    [
      'is rotated',
      (id) =>
        service.request('POST', `/v1/api-keys/${id}/rotate`, { body: { gracePeriodSeconds: 0 } }),
    ],
    ['expires', async () => service.clock.advance(60_000)],
  ])('when its key %s, without the changes after it', async (_what, invalidate) => {
    const { secret, key } = await service.issueKey(['events:read'], service.clock.now() + 60_000);
    const ended = await service.open('', { key: secret });
    const other = await service.open();
    await service.addRex();
    await service.receive(ended, 1);
    await invalidate(key.id);
    await service.addRex();
    const created = () => other.events.filter(({ event }) => event === 'pet.created');
    while (created().length < 2) await service.poll();
    expect(await ended.ended).toBeUndefined();
    expect(ended.events).toHaveLength(1);
    expect(service.ends()).toEqual(['key_invalid']);
    expect((await service.ask('', { key: secret })).status).toBe(401);
  });

  test('at the end of the grace period of its key', async () => {
    const { secret, key } = await service.issueKey(['events:read']);
    const reader = await service.open('', { key: secret });
    const body = { gracePeriodSeconds: 60 };
    await service.request('POST', `/v1/api-keys/${key.id}/rotate`, { body });
    await service.addRex();
    await service.receive(reader, 1);
    service.clock.advance(59_999);
    await service.poll();
    expect(service.ends()).toEqual([]);
    service.clock.advance(1);
    await service.poll();
    expect(service.ends()).toEqual(['key_invalid']);
  });

  test('with the event of the end of its key, if the key may read the event', async () => {
    const { secret, key } = await service.issueKey(['events:read', 'keys:admin']);
    const reader = await service.open('', { key: secret });
    await service.addRex();
    // The stream is live then: one that still catches up ends without the event.
    await service.receive(reader, 1);
    await service.request('DELETE', `/v1/api-keys/${key.id}`);
    await service.addRex();
    await service.poll();
    expect(await reader.ended).toBeUndefined();
    expect(reader.events.map(({ event }) => event)).toEqual(['pet.created', 'api_key.revoked']);
  });

  test('when another process has ended its key without an event', async () => {
    const { secret, key } = await service.issueKey(['events:read']);
    await service.open('', { key: secret });
    await service.open();
    await service.streams.checkKeys();
    expect(service.streams.open).toBe(2);
    await service.revokeKey(key.id);
    await service.streams.checkKeys();
    expect(service.ends()).toEqual(['key_invalid']);
  });

  test.each([
    ['before it has caught up', 0],
    ['while it is live', 1],
  ])('when the database is restored %s', async (_when, received) => {
    const reader = await service.open();
    if (received === 1) {
      await service.addRex();
      await service.receive(reader, 1);
    }
    await service.database.write(BY_TEST, ({ events }) => events.renew());
    await service.addRex();
    await service.poll();
    await service.poll();
    expect(await reader.ended).toBeUndefined();
    expect(service.ends()).toEqual(['events_expired']);
    expect(reader.events).toHaveLength(received);
    expect(
      (await service.ask('', { headers: { 'Last-Event-ID': reader.lastId ?? '' } })).status,
    ).toBe(410);
    const next = await service.open();
    await service.addRex();
    await service.receive(next, 1);
  });

  test('when the database is restored, even if nothing has changed since', async () => {
    const reader = await service.open();
    await service.poll();
    await service.database.write(BY_TEST, ({ events }) => events.renew());
    await service.poll();
    expect(await reader.ended).toBeUndefined();
    expect(service.ends()).toEqual(['events_expired']);
  });

  test('when events after it are deleted because of their age', async () => {
    const reader = await service.open();
    await service.addRex(3);
    while (await service.database.sequenceEvents());
    service.clock.advance(1);
    const deleted = await service.database.write(BY_TEST, ({ events }) =>
      events.deleteBefore(service.clock.now(), 3),
    );
    expect(deleted).toBe(3);
    await service.poll();
    expect(await reader.ended).toBeUndefined();
    expect(reader.events).toEqual([]);
    expect(service.ends()).toEqual(['events_expired']);
    expect(
      (await service.ask('', { headers: { 'Last-Event-ID': reader.lastId ?? '' } })).status,
    ).toBe(410);
  });

  test('goes on when only events that it has sent, or of the time before it, are deleted', async () => {
    const deleteAll = async () => {
      while (await service.database.sequenceEvents());
      service.clock.advance(1);
      await service.database.write(BY_TEST, ({ events }) =>
        events.deleteBefore(service.clock.now(), 100),
      );
    };
    const reader = await service.open();
    await service.addRex(3);
    await service.receive(reader, 3);
    await deleteAll();
    await service.poll();
    await service.addRex();
    await service.receive(reader, 4);
    expect(service.ends()).toEqual([]);
    await reader.close();
    await service.addRex();
    await deleteAll();
    const next = await service.open();
    await service.addRex();
    await service.receive(next, 1);
  });

  test('and the last one ends the timers for streams', async () => {
    using started = spyOn(globalThis, 'setInterval');
    using cleared = spyOn(globalThis, 'clearInterval');
    const readers = [await service.open(), await service.open()];
    const timers: unknown[] = started.mock.results.map(({ value }) => value);
    expect(timers).toHaveLength(3);
    // Other parts of this process may end timers of their own meanwhile.
    const ended = () =>
      (cleared.mock.calls.flat() as unknown[]).filter((timer) => timers.includes(timer));
    await readers[0]?.close();
    expect(ended()).toEqual([]);
    await readers[1]?.close();
    expect(ended()).toEqual(timers);
  });

  test('when the service stops, which then begins none', async () => {
    const reader = await service.open();
    service.streams.stop();
    expect(await reader.ended).toBeUndefined();
    expect(service.ends()).toEqual(['stopping']);
    const response = await service.ask();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
  });
});
