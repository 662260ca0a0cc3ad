import { useState } from 'react';
import { hasCode } from '../failures.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Loading } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalEditor } from './animal-editor.tsx';
import { changesOf } from './changes.ts';
import { Conflict } from './conflict.tsx';
import { DeleteAnimal } from './delete-animal.tsx';
import { type PetInput, type PetVersion, usePet, useUpdatePet } from './queries.ts';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** One animal: to edit, to sell, to delete; and what to do if a colleague was faster. */
export function AnimalDialog({ id, onClose }: Props) {
  const announce = useAnnounce();
  const loaded = usePet(id);
  const update = useUpdatePet();
  /** The values that lost against the change of a colleague. */
  const [mine, setMine] = useState<PetInput>();
  const [deleted, setDeleted] = useState<PetVersion>();

  if (loaded.data === undefined || hasCode(loaded.error, 'pet_not_found')) {
    return (
      <Dialog title={TEXTS.animals.animal} onClose={onClose}>
        {loaded.error ? <LoadFailure error={loaded.error} /> : <Loading />}
      </Dialog>
    );
  }

  /** @param base the version that the user has seen */
  const save = ({ pet, etag }: PetVersion, values: PetInput) => {
    const onSuccess = () => {
      announce(TEXTS.animals.saved(values.name));
      onClose();
    };
    const onError = async (error: unknown) => {
      if (!hasCode(error, 'precondition_failed')) return;
      const { data } = await loaded.refetch();
      // The same values: an attempt without a response has saved them.
      if (data && Object.keys(changesOf(data.pet, values)).length === 0) onSuccess();
      else setMine(values);
    };
    update.mutate({ id, patch: changesOf(pet, values), etag }, { onSuccess, onError });
  };
  const failure = hasCode(update.error, 'precondition_failed') ? null : update.error;
  const theirs = loaded.data;

  if (mine !== undefined) {
    return (
      <Dialog title={TEXTS.conflict.title} onClose={onClose}>
        <Conflict theirs={theirs.pet} mine={mine} />
        {failure && <Failure error={failure} />}
        <div className="actions">
          <Button look="primary" isBusy={update.isPending} onClick={() => save(theirs, mine)}>
            {TEXTS.conflict.saveMine}
          </Button>
          <Button onClick={onClose}>{TEXTS.conflict.keepTheirs}</Button>
        </div>
      </Dialog>
    );
  }
  if (deleted !== undefined) {
    return (
      <DeleteAnimal version={deleted} onCancel={() => setDeleted(undefined)} onClose={onClose} />
    );
  }
  return (
    <AnimalEditor
      current={theirs}
      isSaving={update.isPending}
      failure={failure}
      onSave={save}
      onDelete={setDeleted}
      onClose={onClose}
    />
  );
}

function LoadFailure({ error }: { readonly error: unknown }) {
  return hasCode(error, 'pet_not_found') ? (
    <p className="notice waiting">{TEXTS.animals.gone}</p>
  ) : (
    <Failure error={error} />
  );
}
