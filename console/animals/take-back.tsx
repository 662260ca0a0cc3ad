import { type FormEvent, useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { formatDay } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Named } from '../parts/named.tsx';
import { Failure, Loading } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type PetVersion, useUpdatePet } from './queries.ts';
import { useLastSale, useReturnOrder, withLine } from './sale-queries.ts';

/** The most Unicode code points that the service accepts. */
const MAX_NOTE_LENGTH = 1000;

interface Props {
  readonly version: PetVersion;
  readonly onClose: () => void;
}

/** Makes a sold animal available again: returns the order by which it was sold, if there is one. */
export function TakeBack({ version, onClose }: Props) {
  const { may } = useSession();
  const announce = useAnnounce();
  const mayReturn = may('orders:read') && may('orders:write');
  const { data: sale, error, refetch } = useLastSale(version.pet.id, mayReturn);
  const done = () => {
    announce(<Named text={TEXTS.animals.takenBack} name={version.pet.name} />);
    onClose();
  };
  const shared = { version, onClose, onDone: done };
  if (!mayReturn) return <WithoutOrder {...shared} hint={TEXTS.animals.takeBackUnknown} />;
  if (sale === null) return <WithoutOrder {...shared} hint={TEXTS.animals.takeBackNoOrder} />;
  return (
    <Dialog title={titleOf(version)} onClose={onClose}>
      {error && <Failure error={error} onRetry={refetch} />}
      {sale ? <ReturnForm sale={sale} onDone={done} /> : !error && <Loading />}
    </Dialog>
  );
}

const titleOf = ({ pet }: PetVersion) => (
  <Named text={TEXTS.animals.takeBackTitle} name={pet.name} />
);

interface FormProps {
  readonly sale: Order<string>;
  readonly onDone: () => void;
}

function ReturnForm({ sale, onDone }: FormProps) {
  const giveBack = useReturnOrder({ onSuccess: onDone });
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const added = reason.trim();
  const isLong = [...withLine(sale.note, added)].length > MAX_NOTE_LENGTH;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (!isLong && !giveBack.isPending) giveBack.mutate({ id: sale.id, reason: added });
  };
  const { takeBackOrder, reason: label, reasonHint, noteLong, takeBack } = TEXTS.animals;
  return (
    <form onSubmit={submit} noValidate>
      <p>{takeBackOrder(sale.id, formatDay(sale.createdAt))}</p>
      <TextArea
        label={label}
        hint={reasonHint}
        dir="auto"
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        fault={isChecked && isLong ? noteLong : undefined}
      />
      {giveBack.error && <Failure error={giveBack.error} />}
      <div className="actions">
        <Button look="primary" type="submit" isBusy={giveBack.isPending}>
          {giveBack.isPending ? TEXTS.common.saving : takeBack}
        </Button>
        <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
      </div>
    </form>
  );
}

interface WithoutOrderProps extends Props {
  readonly hint: string;
  readonly onDone: () => void;
}

/** Asks before it sets an animal available for which no order says that it was sold. */
function WithoutOrder({ version, hint, onClose, onDone }: WithoutOrderProps) {
  const { may } = useSession();
  const update = useUpdatePet();
  const { pet, etag } = version;
  if (!may('pets:write')) {
    return (
      <Dialog title={titleOf(version)} onClose={onClose}>
        <p className="notice waiting">{TEXTS.frame.noScope('pets:write')}</p>
      </Dialog>
    );
  }
  return (
    <Confirm
      title={titleOf(version)}
      hint={hint}
      action={TEXTS.animals.takeBack}
      error={update.error}
      onCancel={onClose}
      onConfirm={() =>
        update.mutate({ id: pet.id, patch: { status: 'available' }, etag }, { onSuccess: onDone })
      }
    />
  );
}
