import { useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { OrderActions } from '../orders/order-actions.tsx';
import { OrderLine } from '../orders/order-status.tsx';
import { useUndoSale } from '../orders/order-texts.ts';
import { useChangeOrder } from '../orders/queries.ts';
import { Button } from '../parts/button.tsx';
import { useKeepFocus } from '../parts/keep-focus.ts';
import { Named, Note } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import type { PetVersion } from './queries.ts';
import { Reserve } from './reserve.tsx';
import { usePlaceOrder } from './sale-queries.ts';
import { TakeBack } from './take-back.tsx';

interface Props {
  readonly version: PetVersion;
  readonly order: Order<string> | undefined;
  readonly isGone: boolean;
  /** The animal can be sold, so this has the focus at first. */
  readonly maySell: boolean;
  readonly isEdited: boolean;
  readonly onSold: () => void;
}

/** The next step in a sale: sell or reserve the animal, the steps of its order, or take it back. */
export function AnimalSale({ version, order, isGone, maySell, isEdited, onSold }: Props) {
  const { pet } = version;
  const { may } = useSession();
  const sell = useSell(pet.name, onSold);
  const change = useChangeOrder();
  const keeper = useKeepFocus<HTMLElement>();
  const [asked, setAsked] = useState<'reserve' | 'take back'>();
  const close = () => setAsked(undefined);
  // What failed before says nothing about what was done since.
  const { error } = change.submittedAt > sell.submittedAt ? change : sell;
  const mayTakeBack =
    !isGone && pet.status === 'sold' && (may('orders:write') || may('pets:write'));
  const isIdle = error === null && asked === undefined;
  if (!order && !maySell && !mayTakeBack && isIdle) return null;
  return (
    <section {...keeper} className="sale" aria-label={TEXTS.animals.sale}>
      {order && (
        <div className="notice">
          <OrderLine order={order} />
          {order.note && <Note>{order.note}</Note>}
          <OrderActions order={order} change={change} />
        </div>
      )}
      <div className="actions">
        {maySell && (
          <>
            <Button
              look={isEdited ? undefined : 'primary'}
              autoFocus
              isBusy={sell.isPending}
              // The Enter after a scanned number is not for this animal.
              onKeyDown={({ key, currentTarget }) => /^\d$/.test(key) && currentTarget.blur()}
              onClick={() => sell.mutate({ petId: pet.id, status: 'delivered' })}
            >
              {sell.isPending ? TEXTS.animals.selling : TEXTS.animals.sell}
            </Button>
            <Button isBusy={sell.isPending} onClick={() => setAsked('reserve')}>
              {TEXTS.animals.reserve}
            </Button>
          </>
        )}
        {mayTakeBack && (
          <Button onClick={() => setAsked('take back')}>{TEXTS.common.takeBack}</Button>
        )}
      </div>
      {error && <Failure error={error} />}
      {asked === 'reserve' && <Reserve pet={pet} onClose={close} />}
      {asked === 'take back' && <TakeBack version={version} onClose={close} />}
    </section>
  );
}

/** Sells an animal by one request, and offers to undo it by another one, even after its dialog is closed. */
function useSell(name: string, onSold: () => void) {
  const announce = useAnnounce();
  const undo = useUndoSale(<Named text={TEXTS.animals.saleUndone} name={name} />);
  return usePlaceOrder({
    onSuccess: ({ id }) => {
      announce(<Named text={TEXTS.animals.isSold} name={name} />, undo(id));
      onSold();
    },
  });
}
