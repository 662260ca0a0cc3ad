import { useState } from 'react';
import type { Order, OrderStatus } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { useUndoSale } from './order-texts.ts';
import type { useChangeOrder } from './queries.ts';

type Step = 'approved' | 'delivered' | 'cancelled' | 'returned';

const LABELS = {
  approved: TEXTS.orders.approve,
  delivered: TEXTS.orders.handOver,
  cancelled: TEXTS.orders.cancel,
  returned: TEXTS.common.takeBack,
} as const;

/** What can be done with an order, in each of its statuses. What staff do most comes first. */
const STEPS: Partial<Record<OrderStatus, readonly Step[]>> = {
  placed: ['delivered', 'approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: ['returned'],
};

interface Props {
  readonly order: Order<string>;
  readonly change: ReturnType<typeof useChangeOrder>;
  readonly isInRow?: boolean;
  /** Asks for the reason outside of the row, which may leave the list meanwhile. A delivered order needs it. */
  readonly onReturn?: () => void;
}

/** The steps of an order. A hand-over can be undone, so it does not ask. */
export function OrderActions({ order: { id, status }, change, isInRow, onReturn }: Props) {
  const { may } = useSession();
  const announce = useAnnounce();
  const undo = useUndoSale(TEXTS.orders.undone(id));
  const [isAsked, setIsAsked] = useState(false);
  const steps = STEPS[status];
  if (!may('orders:write') || !steps) return null;
  const close = () => setIsAsked(false);
  const take = (step: Exclude<Step, 'returned'>) =>
    change.mutate(
      { id, status: step },
      {
        onSuccess: () =>
          announce(TEXTS.orders[step](id), step === 'delivered' ? undo(id) : undefined),
        onSettled: close,
      },
    );
  return (
    <div className="actions">
      {steps.map((step) => (
        <Button
          key={step}
          small
          look={step === 'cancelled' ? 'quiet' : undefined}
          isBusy={change.isPending}
          aria-label={`${LABELS[step]}: ${TEXTS.orders.numbered(id)}`}
          onClick={() => {
            if (step === 'returned') onReturn?.();
            else if (step === 'cancelled') setIsAsked(true);
            else take(step);
          }}
        >
          {isInRow && step === 'cancelled' ? TEXTS.common.cancel : LABELS[step]}
        </Button>
      ))}
      {isAsked && steps.includes('cancelled') && (
        <Confirm
          title={TEXTS.orders.confirmCancel(id)}
          hint={TEXTS.orders.confirmCancelHint}
          action={LABELS.cancelled}
          keep={TEXTS.common.goBack}
          onConfirm={() => take('cancelled')}
          onCancel={close}
        />
      )}
    </div>
  );
}
