import { linkTo } from '../address.ts';
import { formatTime } from '../format.ts';
import { OrderLine } from '../orders/order-status.tsx';
import { Note } from '../parts/named.tsx';
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
      {ended?.length === 0 && <p className="muted">{TEXTS.orders.none}</p>}
      <ul>
        {ended?.map((order) => (
          <li key={order.id}>
            <OrderLine order={order} />
            <time className="muted" dateTime={order.createdAt}>
              {formatTime(order.createdAt)}
            </time>
            {order.note && <Note>{order.note}</Note>}
          </li>
        ))}
      </ul>
      {data?.nextCursor !== undefined && (
        <a href={linkTo('orders', { status: 'all', animal: petId })}>{TEXTS.animals.allOrders}</a>
      )}
    </section>
  );
}
