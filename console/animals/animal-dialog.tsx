import { useState } from 'react';
import { hasCode } from '../failures.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { Failure, Gone, Loading } from '../parts/notices.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { useAnnounceAdded } from './add-animal.tsx';
import { AnimalEditor, type Saving } from './animal-editor.tsx';
import { changesOf } from './changes.ts';
import { type Changes, Conflict } from './conflict.tsx';
import { type PetInput, type PetVersion, useCreatePet, usePet, useUpdatePet } from './queries.ts';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** One animal: to edit, to sell, to delete; and what to do if a colleague was faster. */
export function AnimalDialog({ id, onClose }: Props) {
  const loaded = usePet(id);
  const isGone = hasCode(loaded.error, 'pet_not_found');
  const { conflict, ...saving } = useSaving(id, loaded, onClose);
  const adding = useAddingAgain(onClose);

  if (loaded.data === undefined) {
    return (
      <Dialog title={TEXTS.common.animal} onClose={onClose}>
        {isGone && <Gone>{TEXTS.animals.gone}</Gone>}
        {!isGone && loaded.error && <Failure error={loaded.error} onRetry={loaded.refetch} />}
        {!loaded.error && <Loading />}
      </Dialog>
    );
  }
  const shared = { ...(isGone ? adding : saving), isGone, onClose };
  if (conflict === undefined) return <AnimalEditor current={loaded.data} {...shared} />;
  // After another change of a colleague, the user decides again.
  return <Conflict key={conflict.theirs.etag} {...conflict} {...shared} />;
}

/** Saves what the user has changed, unless a colleague has changed the animal, too. */
function useSaving(
  id: string,
  loaded: ReturnType<typeof usePet>,
  onClose: () => void,
): Saving & { readonly conflict: Changes | undefined } {
  const done = useDone(onClose);
  const update = useUpdatePet();
  /** While the user decides about a conflict, it does not follow the colleague. */
  const [conflict, setConflict] = useState<Changes>();
  const onSave = ({ pet: base, etag }: PetVersion, mine: PetInput) => {
    const onSuccess = () => done(<Named text={TEXTS.animals.saved} name={mine.name} />);
    const onError = async (error: unknown) => {
      if (!hasCode(error, 'precondition_failed')) return;
      const { data, isError } = await loaded.refetch();
      if (data === undefined || isError) return;
      setConflict({ base, mine, theirs: data });
      // The next reading of the page is none that the user waits for.
      update.reset();
    };
    const patch = changesOf(base, mine);
    update.mutate({ id, patch, etag }, { onSuccess, onError });
  };
  // The dialog says so itself, unless the animal could not be loaded again.
  const isTold =
    !loaded.error &&
    (hasCode(update.error, 'precondition_failed') || hasCode(update.error, 'pet_not_found'));
  // What is typed while the version of the colleague is loaded would be lost.
  const isSaving = update.isPending || (isTold && loaded.isFetching);
  return { isSaving, failure: isTold ? null : update.error, onSave, conflict };
}

/** Adds a deleted animal again, as the user has edited it. */
function useAddingAgain(onClose: () => void): Saving {
  const announceAdded = useAnnounceAdded();
  const create = useCreatePet();
  const onSave = (_base: PetVersion, mine: PetInput) =>
    create.mutate(mine, {
      onSuccess: (pet) => {
        announceAdded(pet);
        onClose();
      },
    });
  return { isSaving: create.isPending, failure: create.error, onSave };
}
