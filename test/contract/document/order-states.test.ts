/** What follows from the table of the statuses of orders. */
import { expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };
import { ERRORS } from '../../../src/http/contract/errors.ts';
import {
  FIRST_STATUSES,
  ORDER_STATES,
  ORDER_STATUSES,
  transitionProblem,
} from '../../../src/orders/order-states.ts';

const { OrderStatus, NewOrder } = document.components.schemas;

test('the document has the statuses, the first ones, and a sentence about each change', () => {
  expect(OrderStatus.enum).toEqual([...ORDER_STATUSES]);
  expect(NewOrder.properties.status.enum).toEqual([...FIRST_STATUSES]);
  expect(NewOrder.properties.status.description).toEndWith('Default: `placed`.');
  const update = document.paths['/store/orders/{orderId}'].patch.description;
  for (const text of [OrderStatus.description, update]) {
    expect(text).toContain('A placed order can become approved, delivered or cancelled.');
    expect(text).toContain('An approved order can become delivered or cancelled.');
    expect(text).toContain('A delivered order can become returned.');
  }
  expect(update).toContain(
    'Placed or approved makes the animal pending; delivered makes the animal sold; ' +
      'cancelled, expired or returned makes the animal available.',
  );
});

test('the example of the error is a message as clients receive it', () => {
  expect<string | undefined>(ERRORS.invalid_transition.example).toBe(
    transitionProblem('delivered', 'cancelled'),
  );
});

test('each status but the first ones can be reached, and only an open order holds its animal', () => {
  for (const status of ORDER_STATUSES) {
    const { isOpen = false, animal, next } = ORDER_STATES[status];
    const isReached = ORDER_STATUSES.some((from) => {
      const state = ORDER_STATES[from];
      return state.next.includes(status) || state.afterHold === status;
    });
    expect([status, isReached || FIRST_STATUSES.includes(status)]).toEqual([status, true]);
    expect([status, isOpen]).toEqual([status, animal === 'pending']);
    // An order that ended is never open again: its end would be wrong.
    if (!isOpen) for (const to of next) expect(ORDER_STATES[to].isOpen).toBeUndefined();
  }
});
