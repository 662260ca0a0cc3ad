import { reading, writing } from '../http/contract/handler.ts';
import { getInventory, handleGetInventory } from './get-inventory.ts';
import { getOrder, handleGetOrder } from './get-order.ts';
import { getSummary, handleGetSummary } from './get-summary.ts';
import { handleListOrders, listOrders } from './list-orders.ts';
import { handlePlaceOrder, placeOrder } from './place-order.ts';
import { handleUpdateOrder, updateOrder } from './update-order.ts';

export const orderOperations = [
  writing(placeOrder, handlePlaceOrder, (_, { body }) => `orders/${body.id}`),
  reading(listOrders, handleListOrders),
  reading(getOrder, handleGetOrder),
  writing(updateOrder, handleUpdateOrder, ({ params }) => `orders/${params.orderId}`),
  reading(getInventory, handleGetInventory),
  reading(getSummary, handleGetSummary),
];
