import { useState } from 'react';
import { hasCode } from '../failures.ts';
import { formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Gone, Loading } from '../parts/notices.tsx';
import { TEXTS } from '../texts.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderForm } from './order-form.tsx';
import { OrderState } from './order-status.tsx';
import { OrderedAnimal } from './ordered-animal.tsx';
import { useChangeOrder, useOrder, usePetNames } from './queries.ts';
import { ReturnOrder } from './return-order.tsx';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
  readonly onOpenAnimal: (petId: string) => void;
}

/** One order: its steps, its reference and its note; printed, a sheet of paper. */
export function OrderDialog({ id, onClose, onOpenAnimal }: Props) {
  const { data: order, error, refetch } = useOrder(id);
  const isGone = hasCode(error, 'order_not_found');
  const nameOf = usePetNames(order ? [order] : []);
  const change = useChangeOrder();
  const [isReturned, setIsReturned] = useState(false);
  const texts = TEXTS.orders;
  return (
    <Dialog title={texts.numbered(id)} onClose={onClose}>
      {isGone && <Gone>{texts.gone}</Gone>}
      {error && !isGone && <Failure error={error} onRetry={refetch} />}
      {!order && !error && <Loading />}
      {order && (
        <>
          <dl className="facts">
            <dt>{TEXTS.common.animal}</dt>
            <dd>
              <OrderedAnimal
                id={order.petId}
                withNumber
                name={nameOf(order.petId)}
                onOpen={() => onOpenAnimal(order.petId)}
              />
            </dd>
            <dt>{TEXTS.common.status}</dt>
            <dd>
              <OrderState order={order} />
            </dd>
            <dt>{TEXTS.orderStatus.placed}</dt>
            <dd className="number">{formatTime(order.createdAt)}</dd>
          </dl>
          <OrderActions order={order} change={change} onReturn={() => setIsReturned(true)} />
          {isReturned && <ReturnOrder order={order} onClose={() => setIsReturned(false)} />}
          {change.error && <Failure error={change.error} />}
          <OrderForm key={order.id} order={order} onClose={onClose}>
            <Button look="quiet" onClick={() => print()}>
              {texts.print}
            </Button>
          </OrderForm>
        </>
      )}
    </Dialog>
  );
}
