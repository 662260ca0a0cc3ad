import type { Order } from '../../sdk/src/index.ts';
import { linkTo } from '../address.ts';
import { formatTime } from '../format.ts';
import { OrderState } from '../orders/order-status.tsx';
import { Name, Note } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { isOpen, type useAnimalOrders } from './sale-queries.ts';

interface Props {
  readonly petId: string;
  readonly result: ReturnType<typeof useAnimalOrders>;
}

/** The newest orders of an animal that have ended. Its open one is above, with its steps. */
export function AnimalOrders({ petId, result: { data, error, refetch } }: Props) {
  const { may } = useSession();
  const isReadable = may('orders:read');
  const ended = data?.data.filter((order) => !isOpen(order));
  const isFirstOpen = ended?.length === 0 && data?.data.length === 1;
  if (isFirstOpen) return null;
  return (
    <section className="past" aria-label={TEXTS.animals.orders}>
      <h3>{TEXTS.animals.orders}</h3>
      {!isReadable && <p className="muted">{TEXTS.frame.noScope('orders:read')}</p>}
      {error && <Failure error={error} onRetry={refetch} />}
      {ended && <Orders petId={petId} orders={ended} isCut={data?.nextCursor !== undefined} />}
    </section>
  );
}

interface OrdersProps {
  readonly petId: string;
  readonly orders: readonly Order<string>[];
  readonly isCut: boolean;
}

function Orders({ petId, orders, isCut }: OrdersProps) {
  if (orders.length === 0) return <p className="muted">{TEXTS.orders.none}</p>;
  return (
    <>
      <ul>
        {orders.map((order) => (
          <li key={order.id}>
            <span className="number">
              {TEXTS.orders.order} {order.id} <OrderState order={order} />
              {order.reference && (
                <>
                  {' '}
                  <Name>{order.reference}</Name>
                </>
              )}
            </span>
            <time className="muted" dateTime={order.createdAt}>
              {formatTime(order.createdAt)}
            </time>
            {order.note && <Note>{order.note}</Note>}
          </li>
        ))}
      </ul>
      {isCut && (
        <a href={linkTo('orders', { status: 'all', animal: petId })}>{TEXTS.animals.allOrders}</a>
      )}
    </>
  );
}
