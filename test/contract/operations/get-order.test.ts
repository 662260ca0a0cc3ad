/** getOrder: GET /store/orders/{orderId}. place-order.test.ts reads orders that exist. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const service = useService();

describe('getOrder', () => {
  test.each(['99999999', 'abc', '01', '1.0', '9223372036854775808'])(
    'returns 404 for the orderId %s',
    async (id) => {
      const { json } = await service.request('GET', `/v1/store/orders/${id}`);
      expect(json).toMatchObject({ code: 'order_not_found', status: 404 });
    },
  );
});
