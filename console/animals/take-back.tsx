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

/** Makes a sold animal available again. Returns the order of its sale, or asks first if no order says so. */
export function TakeBack({ version: { pet, etag }, onClose }: Props) {
  const { may } = useSession();
  const mayReturn = may('orders:read') && may('orders:write');
  const { data: sale, error, refetch } = useLastSale(pet.id, mayReturn);
  const update = useUpdatePet();
  const done = useDone(onClose);
  const onSuccess = () => done(<Named text={TEXTS.animals.takenBack} name={pet.name} />);
  const title = <Named text={TEXTS.animals.takeBackTitle} name={pet.name} />;
  const isWithoutOrder = !mayReturn || sale === null;
  if (isWithoutOrder && may('pets:write')) {
    return (
      <Confirm
        title={title}
        hint={mayReturn ? TEXTS.animals.takeBackNoOrder : TEXTS.animals.takeBackUnknown}
        action={TEXTS.common.takeBack}
        error={update.error}
        onCancel={onClose}
        onConfirm={() =>
          update.mutate({ id: pet.id, patch: { status: 'available' }, etag }, { onSuccess })
        }
      />
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {isWithoutOrder && <p className="notice waiting">{TEXTS.frame.noScope('pets:write')}</p>}
      {error && <Failure error={error} onRetry={refetch} />}
      {!isWithoutOrder && !sale && !error && <Loading />}
      {sale && (
        <ReturnForm order={sale} onDone={onSuccess}>
          {TEXTS.animals.takeBackOrder(sale.id, formatDay(sale.createdAt))}
        </ReturnForm>
      )}
    </Dialog>
  );
}
