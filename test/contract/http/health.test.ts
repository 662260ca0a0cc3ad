/** Health endpoints, without a credential. */
import { describe, expect, spyOn, test } from 'bun:test';
import { StorageError } from '../../../src/storage/database.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const get = (path: string) => service.request('GET', path, { key: null });

describe('/livez and /readyz', () => {
  test('return 200 while the service works', async () => {
    expect((await get('/livez')).json).toEqual({ status: 'ok' });
    expect((await get('/readyz')).json).toEqual({ status: 'ok' });
  });

  test('return 200 and 503 while the service stops', async () => {
    service.stopping = true;
    const { json, headers } = await get('/readyz');
    expect(json).toMatchObject({ code: 'unavailable', status: 503 });
    expect(headers.toJSON()).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '1' });
    expect((await get('/livez')).status).toBe(200);
    service.stopping = false;
  });

  test('return 200 and 503 while the storage is unavailable', async () => {
    using _health = spyOn(service.database, 'checkHealth').mockImplementation(() => {
      throw new StorageError('unavailable', 'gone');
    });
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/livez')).status).toBe(200);
  });
});
