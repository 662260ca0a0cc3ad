import { useState } from 'react';
import { AnimalOrder } from '../orders/animal-order.tsx';
import { useOpenOrder } from '../orders/queries.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Name } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalForm } from './animal-form.tsx';
import { DeleteAnimal } from './delete-animal.tsx';
import type { PetInput, PetVersion } from './queries.ts';

interface Props {
  readonly current: PetVersion;
  readonly isSaving: boolean;
  readonly failure: unknown;
  readonly onSave: (base: PetVersion, values: PetInput) => void;
  readonly onClose: () => void;
}

/** The fields of an animal, and its order. */
export function AnimalEditor({ current, isSaving, failure, onSave, onClose }: Props) {
  const { may } = useSession();
  /**
   * The version that the user has begun to edit. The animal may be loaded again during the edit: with the tag of that
   * version, the values of the form would replace changes that the user has not seen.
   */
  const [edited, setEdited] = useState<PetVersion>();
  const [deleted, setDeleted] = useState<PetVersion>();
  const version = edited ?? current;
  const { pet } = version;
  const { data: order } = useOpenOrder(pet.id);
  const isReadOnly = !may('pets:write');
  return (
    <Dialog title={<Name>{pet.name}</Name>} onClose={onClose}>
      <p className="muted number">
        {TEXTS.common.id} {pet.id}
      </p>
      <AnimalOrder pet={current.pet} order={order} />
      <AnimalForm
        initial={pet}
        isReadOnly={isReadOnly}
        isHeld={order != null}
        onEdit={() => setEdited(version)}
        onSubmit={(values) => onSave(version, values)}
      >
        {failure != null && <Failure error={failure} />}
        <div className="actions">
          {!isReadOnly && (
            <Button look="primary" type="submit" isBusy={isSaving}>
              {isSaving ? TEXTS.common.saving : TEXTS.common.save}
            </Button>
          )}
          <LeaveButton>{isReadOnly ? TEXTS.common.close : TEXTS.common.cancel}</LeaveButton>
          {!isReadOnly && (
            <span className="last">
              <Button look="danger" isBusy={isSaving} onClick={() => setDeleted(version)}>
                {TEXTS.common.delete}
              </Button>
            </span>
          )}
        </div>
      </AnimalForm>
      {deleted !== undefined && (
        <DeleteAnimal version={deleted} onCancel={() => setDeleted(undefined)} onClose={onClose} />
      )}
    </Dialog>
  );
}
