/** deleteCategory: DELETE /categories/{categoryId}. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const service = useService();

const put = (id: unknown, at = service) =>
  at.request('PUT', `/v1/categories/${id}`, { body: { name: 'Dogs' } });
const get = (id: unknown) => service.request('GET', `/v1/categories/${id}`);
const remove = (id: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('DELETE', `/v1/categories/${id}`, { headers });

describe('deleteCategory', () => {
  test('returns 204, then 404, and putCategory creates the category again', async () => {
    await put(20);
    const response = await remove(20);
    expect([response.status, response.text]).toEqual([204, '']);
    expect((await get(20)).code).toBe('category_not_found');
    expect((await remove(20)).code).toBe('category_not_found');
    expect((await put(20)).status).toBe(201);
  });

  test('returns 409 while an animal refers to the category, and keeps it', async () => {
    await put(21);
    const one = await service.addPet({ name: 'Rex', categoryId: 21 });
    const two = await service.addPet({ name: 'Max', categoryId: 21, status: 'sold' });
    expect((await remove(21)).json).toMatchObject({ code: 'category_in_use', status: 409 });
    await service.request('DELETE', `/v1/pets/${one.id}`);
    expect((await remove(21)).code).toBe('category_in_use');
    expect((await get(21)).status).toBe(200);
    await service.request('PATCH', `/v1/pets/${two.id}`, { body: { categoryId: 22 } });
    expect((await remove(21)).status).toBe(204);
  });

  test('returns 412 for another ETag before 409', async () => {
    const { etag } = await put(23);
    await service.addPet({ name: 'Rex', categoryId: 23 });
    expect((await remove(23, { 'If-Match': '"other"' })).code).toBe('precondition_failed');
    expect((await remove(23, { 'If-Match': etag })).code).toBe('category_in_use');
  });
});
