/** Error responses: their body, and those of internal failures. */
import { expect, spyOn, test } from 'bun:test';
import { ERRORS } from '../../../src/http/contract/errors.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { startService } from '../../support/service.ts';

const REX = { name: 'Rex', categoryId: 1 };

const secret = 'SECRET /var/lib/animals.db';

test.each([
  ['internal_error', 500, new Error(secret)],
  ['unavailable', 503, new StorageError('unavailable', secret)],
  ['unavailable', 503, new StorageError('refused', secret)],
  ['storage_full', 507, new StorageError('full', secret)],
] as const)(
  'an internal failure is %s with status %d and without the reason, which is observed with the request id',
  async (code, status, error) => {
    await using service = await startService();
    using _list = spyOn(service.database.read.pets, 'list').mockImplementation(() => {
      throw error;
    });
    using _addPet = spyOn(service.database, 'addPet').mockRejectedValue(error);
    for (const method of ['GET', 'POST']) {
      const response = await service.app.fetch(
        new Request('http://127.0.0.1/v1/pets', {
          method,
          headers: {
            Authorization: `Bearer ${service.key}`,
            'X-Request-Id': `${method}-1`,
            'Content-Type': 'application/json',
          },
          ...(method === 'POST' && { body: JSON.stringify(REX) }),
        }),
      );
      expect(await response.json()).toEqual({ code, message: ERRORS[code].message, status });
      expect(response.headers.get('retry-after')).toBe(code === 'unavailable' ? '1' : null);
      const requestId = `${method}-1`;
      expect(service.observed).toContainEqual({ kind: 'request_failed', requestId, error });
    }
  },
);
