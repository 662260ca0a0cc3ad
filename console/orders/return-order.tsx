import { type ReactNode, useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { MAX_NOTE_LENGTH, useReturnOrder, withLine } from './order-texts.ts';

interface Props {
  readonly order: Order<string>;
  readonly onClose: () => void;
}

/** Takes a delivered order back, with a reason. */
export function ReturnOrder({ order, onClose }: Props) {
  const done = useDone(onClose);
  const texts = TEXTS.orders;
  return (
    <Dialog title={texts.confirmReturn(order.id)} onClose={onClose}>
      <ReturnForm order={order} onDone={() => done(texts.returned(order.id))}>
        {texts.confirmReturnHint}
      </ReturnForm>
    </Dialog>
  );
}

interface FormProps {
  readonly order: Order<string>;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** Asks for the reason, and returns the order. Within a dialog. */
export function ReturnForm({ order: { id, note }, onDone, children }: FormProps) {
  const giveBack = useReturnOrder({ onSuccess: onDone });
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isLong = [...withLine(reason, note)].length > MAX_NOTE_LENGTH;
  const texts = TEXTS.orders;
  const submit = () => {
    if (!isLong) giveBack.mutate({ id, reason });
  };
  return (
    <Form
      action={TEXTS.common.takeBack}
      isBusy={giveBack.isPending}
      error={giveBack.error}
      onSubmit={submit}
    >
      <p>{children}</p>
      <TextArea
        label={texts.reason}
        hint={texts.reasonHint}
        dir="auto"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        fault={isLong ? texts.noteLong : undefined}
      />
    </Form>
  );
}
