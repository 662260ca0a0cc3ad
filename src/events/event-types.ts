import { ORDER_STATUSES, type OrderStatus } from '../orders/order-states.ts';

type OrderEventType = `order.${OrderStatus | 'updated' | 'deleted'}`;

const ORDER_EVENT_TYPES = [
  ...ORDER_STATUSES.map((status) => `order.${status}` as const),
  'order.updated',
  'order.deleted',
] as const satisfies readonly OrderEventType[];

/** The types of events. A client must expect types that a later version adds. */
export const EVENT_TYPES = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'pets.imported',
  ...ORDER_EVENT_TYPES,
  'category.created',
  'category.updated',
  'category.deleted',
  'categories.imported',
  // Only a key with `keys:admin` sees the events of API keys.
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'webhook_endpoint.disabled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
