/** getCategory: GET /categories/{categoryId}. put-category.test.ts reads categories that exist. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const service = useService();

describe('getCategory', () => {
  test.each(['999999', 'abc', '1.0', '01', '-0', '9223372036854775808'])(
    'returns 404 for the categoryId %s',
    async (id) => {
      const { json } = await service.request('GET', `/v1/categories/${id}`);
      expect(json).toMatchObject({ code: 'category_not_found', status: 404 });
    },
  );
});
