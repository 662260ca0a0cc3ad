import { useState } from 'react';
import type { Order, OrderStatus } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import type { useChangeOrder } from './queries.ts';
import { ReturnOrder } from './return-order.tsx';

type Step = 'approved' | 'delivered' | 'cancelled' | 'returned';

const LABELS = {
  approved: TEXTS.orders.approve,
  delivered: TEXTS.orders.deliver,
  cancelled: TEXTS.orders.cancel,
  returned: TEXTS.orders.return,
} as const;

/** The steps that ask first, with their questions. */
const QUESTIONS = {
  delivered: { title: TEXTS.orders.confirmDeliver, hint: TEXTS.orders.confirmDeliverHint },
  cancelled: { title: TEXTS.orders.confirmCancel, hint: TEXTS.orders.confirmCancelHint },
} as const;

/** What can be done with an order, in each of its statuses. */
const STEPS: Readonly<Record<OrderStatus, readonly Step[]>> = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: ['returned'],
  cancelled: [],
  expired: [],
  returned: [],
};

/** For a row of a list, whose width is short. */
const SHORT_LABELS = {
  ...LABELS,
  cancelled: TEXTS.common.cancel,
} as const;

interface Props {
  readonly order: Order<string>;
  readonly change: ReturnType<typeof useChangeOrder>;
  readonly isInRow?: boolean;
}

export function OrderActions({ order, change, isInRow }: Props) {
  const { id, status } = order;
  const { may } = useSession();
  const announce = useAnnounce();
  const [asked, setAsked] = useState<Exclude<Step, 'approved'>>();
  if (!may('orders:write') || STEPS[status].length === 0) return null;
  const close = () => setAsked(undefined);
  const take = (step: Exclude<Step, 'returned'>) =>
    change.mutate(
      { id, status: step },
      {
        onSuccess: () => announce(TEXTS.orders[step](id)),
        onSettled: close,
      },
    );
  return (
    <div className="actions">
      {STEPS[status].map((step) => (
        <Button
          key={step}
          small
          look={step === 'cancelled' ? 'quiet' : undefined}
          isBusy={change.isPending}
          aria-label={`${LABELS[step]}: ${TEXTS.orders.order} ${id}`}
          onClick={() => (step === 'approved' ? take(step) : setAsked(step))}
        >
          {(isInRow ? SHORT_LABELS : LABELS)[step]}
        </Button>
      ))}
      {asked === 'returned' && status === 'delivered' && (
        <ReturnOrder order={order} onClose={close} />
      )}
      {asked && asked !== 'returned' && STEPS[status].includes(asked) && (
        <Confirm
          title={QUESTIONS[asked].title(id)}
          hint={QUESTIONS[asked].hint}
          action={LABELS[asked]}
          keep={TEXTS.orders.keep}
          onConfirm={() => take(asked)}
          onCancel={close}
        />
      )}
    </div>
  );
}
