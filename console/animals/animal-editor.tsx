import { useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Gone } from '../parts/notices.tsx';
import { useDone } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalForm } from './animal-form.tsx';
import { AnimalOrders } from './animal-orders.tsx';
import { AnimalSale } from './animal-sale.tsx';
import { History } from './history.tsx';
import { type PetInput, type PetVersion, useDeletePet } from './queries.ts';
import { isOpen, useAnimalOrders } from './sale-queries.ts';

/** How what the user has typed is saved. */
export interface Saving {
  readonly isSaving: boolean;
  readonly failure: unknown;
  /** @param base the version that the user has seen */
  readonly onSave: (base: PetVersion, mine: PetInput) => void;
}

export interface Edited extends Saving {
  /** Somebody has deleted the animal while the dialog was open. */
  readonly isGone: boolean;
  readonly onClose: () => void;
}

interface Props extends Edited {
  readonly current: PetVersion;
}

/** The sale of an animal, its fields, its orders and its history. */
export function AnimalEditor({ current, isGone, isSaving, failure, onSave, onClose }: Props) {
  const { may } = useSession();
  /**
   * The version that the user has begun to edit. The animal may be loaded again during the edit. With the new tag, the form
   * would replace changes that the user has not seen.
   */
  const [edited, setEdited] = useState<PetVersion>();
  const [deleted, setDeleted] = useState<PetVersion>();
  const remove = useDeletePet();
  const done = useDone(onClose);
  const version = edited ?? current;
  const { pet } = version;
  const onDeleted = () => done(<Named text={TEXTS.animals.deleted} name={current.pet.name} />);
  const orders = useAnimalOrders(pet.id);
  const order = orders.data?.data.find(isOpen);
  const isReadOnly = !may('pets:write');
  const maySell = !isGone && may('orders:write') && current.pet.status === 'available' && !order;
  const isEdited = edited !== undefined;
  return (
    <Dialog title={<Name>{current.pet.name}</Name>} onClose={onClose}>
      <p className="muted number">
        {TEXTS.common.id} {pet.id}
      </p>
      {isGone && <Gone>{isEdited ? TEXTS.animals.goneEdited : TEXTS.animals.gone}</Gone>}
      <AnimalSale
        version={current}
        order={order}
        isGone={isGone}
        maySell={maySell}
        isEdited={isEdited}
        onSold={() => !isEdited && onClose()}
      />
      {(isEdited || !isGone) && (
        <AnimalForm
          initial={pet}
          isReadOnly={isReadOnly}
          // A scanner types into what has the focus.
          autoFocus={false}
          lock={isGone ? undefined : lockOf(current, order)}
          action={isGone ? TEXTS.animals.addAgain : TEXTS.common.save}
          isMinor={!isEdited}
          isBusy={isSaving}
          error={failure}
          last={
            !isReadOnly &&
            !isGone && (
              <Button look="danger" isBusy={isSaving} onClick={() => setDeleted(current)}>
                {TEXTS.common.delete}
              </Button>
            )
          }
          onEdit={() => setEdited(version)}
          onSubmit={(values) => onSave(version, values)}
        />
      )}
      <AnimalOrders petId={pet.id} result={orders} />
      <History petId={pet.id} />
      {deleted !== undefined && !isGone && (
        <Confirm
          title={<Named text={TEXTS.animals.confirmDelete} name={deleted.pet.name} />}
          action={TEXTS.common.delete}
          error={remove.error}
          onCancel={() => {
            remove.reset();
            setDeleted(undefined);
          }}
          onConfirm={() =>
            remove.mutate({ id: pet.id, etag: deleted.etag }, { onSuccess: onDeleted })
          }
        />
      )}
    </Dialog>
  );
}

/** Why the form cannot change the status: an order decides about it, or a sale has to be undone first. */
function lockOf({ pet }: PetVersion, order: Order<string> | undefined): string | undefined {
  if (order !== undefined) return TEXTS.animals.held;
  return pet.status === 'sold' ? TEXTS.animals.heldBySale : undefined;
}
