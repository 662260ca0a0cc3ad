/** getPet: GET /pets/{petId} ("Readings of the specification" in docs/decisions.md). */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

describe.each([true, false])('getPet with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });

  const get = (id: unknown, key = service.key as string | null) =>
    service.request('GET', `/v1/pets/${id}`, { key });

  test('returns 200 with the animal', async () => {
    const body = { name: 'Rex', categoryId: 1 };
    const { json } = await service.request('POST', '/v1/pets', { body });
    const response = await get((json as { id: number }).id);
    expect(response.status).toBe(200);
    expect(response.json).toEqual(json);
  });
});
