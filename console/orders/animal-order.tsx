import type { Order, Pet } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { useKeepFocus } from '../parts/keep-focus.ts';
import { Named } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderState } from './order-status.tsx';
import { useChangeOrder, usePlaceOrder } from './queries.ts';

interface Props {
  readonly pet: Pet<string>;
  readonly order: Order<string> | null | undefined;
}

/** The open order of an animal with its next steps, or a button that places one. */
export function AnimalOrder({ pet, order }: Props) {
  const { may } = useSession();
  const announce = useAnnounce();
  const place = usePlaceOrder();
  const change = useChangeOrder();
  const keeper = useKeepFocus<HTMLElement>();
  const error = place.error ?? change.error;
  const mayReserve = may('orders:write') && pet.status === 'available' && !order;
  if (!order && !mayReserve && error === null) return null;
  return (
    <section {...keeper} className="notice" aria-label={TEXTS.orders.order}>
      {order && (
        <>
          <p className="number">
            {TEXTS.orders.order} {order.id} <OrderState order={order} />
          </p>
          <OrderActions order={order} change={change} />
        </>
      )}
      {mayReserve && (
        <div className="actions">
          <Button
            isBusy={place.isPending}
            onClick={() =>
              place.mutate(pet.id, {
                onSuccess: () => announce(<Named text={TEXTS.animals.reserved} name={pet.name} />),
              })
            }
          >
            {place.isPending ? TEXTS.animals.reserving : TEXTS.animals.reserve}
          </Button>
        </div>
      )}
      {error && <Failure error={error} />}
    </section>
  );
}
