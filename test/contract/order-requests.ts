import type { Order } from '../../src/orders/order.ts';
import type { OrderStatus } from '../../src/orders/order-states.ts';
import type { Pet, PetStatus } from '../../src/pets/pet.ts';
import { expireOrders } from '../../src/server/background-jobs.ts';
import type { TestService } from '../support/service.ts';

const HOLD_MS = 30 * 60_000;

/** The requests that tests of orders send to a service. */
export function orderRequests(service: TestService) {
  const addPet = (status: PetStatus | null = 'available') =>
    service.addPet({ name: 'Rex', categoryId: 1, ...(status && { status }) });
  const place = (petId: unknown, fields: object = {}, headers: Record<string, string> = {}) =>
    service.request('POST', '/v1/store/orders', { body: { petId, ...fields }, headers });
  const get = (id: unknown) => service.request('GET', `/v1/store/orders/${id}`);
  const patch = (id: unknown, body: unknown, headers: Record<string, string> = {}) =>
    service.request('PATCH', `/v1/store/orders/${id}`, { body, headers });
  const setStatus = (id: unknown, status: unknown) => patch(id, { status });

  /** Adds an order with this status for a new animal. To add an expired one expires all placed orders. */
  async function addOrder(status: OrderStatus = 'placed'): Promise<Order> {
    const { id } = (await place((await addPet()).id)).json as Order;
    if (status === 'approved') await setStatus(id, 'approved');
    if (status === 'delivered' || status === 'returned') await setStatus(id, 'delivered');
    if (status === 'returned' || status === 'cancelled') await setStatus(id, status);
    if (status === 'expired') {
      service.clock.advance(HOLD_MS);
      await expireOrders({ ...service, observe: () => {} });
    }
    const order = (await get(id)).json as Order;
    if (order.status !== status) throw new Error(`The order is ${order.status}, not ${status}.`);
    return order;
  }

  return {
    addPet,
    addOrder,
    place,
    get,
    patch,
    setStatus,
    pet: async (id: unknown) => (await service.request('GET', `/v1/pets/${id}`)).json as Pet,
    list: async (query = '') =>
      (await service.request('GET', `/v1/store/orders${query}`)).json as Order[],
  };
}
