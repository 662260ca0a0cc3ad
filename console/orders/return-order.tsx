import { type FormEvent, useState } from 'react';
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
export function ReturnOrder({ order: { id, note = '' }, onClose }: Props) {
  const announce = useAnnounce();
  const giveBack = useReturnOrder();
  const [typed, setTyped] = useState('');
  const reason = typed.trim();
  const isLong = [...withLine(note, reason)].length > MAX_NOTE_LENGTH;
  const texts = TEXTS.orders;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isLong || giveBack.isPending) return;
    const onSuccess = () => {
      announce(texts.returned(id));
      onClose();
    };
    giveBack.mutate({ id, reason }, { onSuccess });
  };
  return (
    <Dialog title={texts.confirmReturn(id)} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <p>{texts.confirmReturnHint}</p>
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
    </Dialog>
  );
}
