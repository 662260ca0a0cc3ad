import { formatDay } from '../format.ts';
import { ReturnForm } from '../orders/return-order.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { Failure, Loading } from '../parts/notices.tsx';
import { useDone } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type PetVersion, useUpdatePet } from './queries.ts';
import { useLastSale } from './sale-queries.ts';

interface Props {
  readonly version: PetVersion;
  readonly onClose: () => void;
}

/** Makes a sold animal available again: returns the order by which it was sold, if there is one. */
export function TakeBack({ version, onClose }: Props) {
  const { may } = useSession();
  const mayReturn = may('orders:read') && may('orders:write');
  const { data: sale, error, refetch } = useLastSale(version.pet.id, mayReturn);
  const done = useDone(onClose);
  const onDone = () => done(<Named text={TEXTS.animals.takenBack} name={version.pet.name} />);
  const shared = { version, onClose, onDone };
  if (!mayReturn) return <WithoutOrder {...shared} hint={TEXTS.animals.takeBackUnknown} />;
  if (sale === null) return <WithoutOrder {...shared} hint={TEXTS.animals.takeBackNoOrder} />;
  return (
    <Dialog title={titleOf(version)} onClose={onClose}>
      {error && <Failure error={error} onRetry={refetch} />}
      {sale ? (
        <ReturnForm order={sale} onDone={onDone}>
          {TEXTS.animals.takeBackOrder(sale.id, formatDay(sale.createdAt))}
        </ReturnForm>
      ) : (
        !error && <Loading />
      )}
    </Dialog>
  );
}

const titleOf = ({ pet }: PetVersion) => (
  <Named text={TEXTS.animals.takeBackTitle} name={pet.name} />
);

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
      action={TEXTS.common.takeBack}
      error={update.error}
      onCancel={onClose}
      onConfirm={() =>
        update.mutate({ id: pet.id, patch: { status: 'available' }, etag }, { onSuccess: onDone })
      }
    />
  );
}
