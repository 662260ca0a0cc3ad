import { type FormEvent, type ReactNode, useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { MAX_NOTE_LENGTH, useReturnOrder, withLine } from './order-texts.ts';

interface Props {
  readonly order: Order<string>;
  readonly onClose: () => void;
}

/** Takes a delivered order back, with a reason. */
export function ReturnOrder({ order, onClose }: Props) {
  const announce = useAnnounce();
  const texts = TEXTS.orders;
  const done = () => {
    announce(texts.returned(order.id));
    onClose();
  };
  return (
    <Dialog title={texts.confirmReturn(order.id)} onClose={onClose}>
      <ReturnForm order={order} onDone={done}>
        {texts.confirmReturnHint}
      </ReturnForm>
    </Dialog>
  );
}

interface FormProps {
  readonly order: Order<string>;
  readonly onDone: () => void;
  /** What follows from the return. */
  readonly children: ReactNode;
}

/** Asks for the reason, and returns the order. Within a dialog. */
export function ReturnForm({ order: { id, note }, onDone, children }: FormProps) {
  const giveBack = useReturnOrder({ onSuccess: onDone });
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isLong = [...withLine(note, reason)].length > MAX_NOTE_LENGTH;
  const texts = TEXTS.orders;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isLong && !giveBack.isPending) giveBack.mutate({ id, reason });
  };
  return (
    <form onSubmit={submit} noValidate>
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
      {giveBack.error && <Failure error={giveBack.error} />}
      <div className="actions">
        <Button look="primary" type="submit" isBusy={giveBack.isPending}>
          {giveBack.isPending ? TEXTS.common.saving : texts.return}
        </Button>
        <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
      </div>
    </form>
  );
}
