import { useEffect, useState } from 'react';
import type { Order, OrderStatus } from '../../sdk/src/index.ts';
import { serviceNow } from '../clock.ts';
import { formatTimeLeft } from '../format.ts';
import { Named } from '../parts/named.tsx';
import { useJoinedRefresh } from '../refresh.ts';
import { TEXTS } from '../texts.ts';

export const ORDER_STATUSES = [
  'placed',
  'approved',
  'delivered',
  'cancelled',
  'expired',
  'returned',
] as const satisfies OrderStatus[];

const LOOKS = {
  placed: 'waiting',
  approved: 'good',
  delivered: '',
  cancelled: 'none',
  expired: 'none',
  returned: 'none',
} as const;

const TICK_MS = 10_000;

/** The status of an order as a chip; for a placed order also how long it still holds its animal. */
export function OrderState({ order }: { readonly order: Order<string> }) {
  return (
    <>
      <span className={`chip ${LOOKS[order.status]}`}>{TEXTS.orderStatus[order.status]}</span>
      {order.status === 'placed' && order.expiresAt && <TimeLeft until={order.expiresAt} />}
    </>
  );
}

/** The number of an order, its state, and who wants the animal. */
export const OrderLine = ({ order }: { readonly order: Order<string> }) => (
  <span className="number">
    {TEXTS.orders.order} {order.id} <OrderState order={order} />
    {order.reference && <Named text={TEXTS.animals.forPerson} name={order.reference} />}
  </span>
);

/** Loads the order again when its hold has ended, until the service has expired it. */
export function TimeLeft({ until }: { readonly until: string }) {
  const [now, setNow] = useState(serviceNow);
  const refresh = useJoinedRefresh();
  const endMs = Date.parse(until);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(serviceNow());
      if (serviceNow() >= endMs) refresh();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [endMs, refresh]);
  const leftMs = endMs - now;
  return (
    <span className="muted number">
      {' '}
      {leftMs <= 0 ? TEXTS.orders.expiring : TEXTS.orders.expiresIn(formatTimeLeft(leftMs))}
    </span>
  );
}
