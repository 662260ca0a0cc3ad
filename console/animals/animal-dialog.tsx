import { useState } from 'react';
import { hasCode } from '../failures.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { Failure, Loading } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalEditor } from './animal-editor.tsx';
import { changesOf } from './changes.ts';
import { Conflict, type Edits } from './conflict.tsx';
import { mergeChanges } from './merge.ts';
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
  /** What the user changed while a colleague changed the animal, too. While the user decides, it does not follow the colleague. */
  const [conflict, setConflict] = useState<{
    readonly edits: Edits;
    readonly theirs: PetVersion;
  }>();

  if (loaded.data === undefined || hasCode(loaded.error, 'pet_not_found')) {
    return (
      <Dialog title={TEXTS.animals.animal} onClose={onClose}>
        <NotLoaded error={loaded.error} refetch={loaded.refetch} isPaused={loaded.isPaused} />
      </Dialog>
    );
  }

  /** @param base the version that the user has seen */
  const save = ({ pet: base, etag }: PetVersion, mine: PetInput) => {
    const onSuccess = () => {
      announce(<Named text={TEXTS.animals.saved} name={mine.name} />);
      onClose();
    };
    const onError = async (error: unknown) => {
      if (!hasCode(error, 'precondition_failed')) return;
      const { data } = await loaded.refetch();
      const isSaved = data && isSame(data.pet, mergeChanges(base, data.pet, mine));
      // An attempt without a response has saved the changes.
      if (isSaved) onSuccess();
      else if (data) setConflict({ edits: { base, mine }, theirs: data });
    };
    const patch = changesOf(base, mine);
    update.mutate({ id, patch, etag }, { onSuccess, onError });
  };
  const failure = hasCode(update.error, 'precondition_failed') ? null : update.error;
  const shared = { isSaving: update.isPending, failure, onSave: save, onClose };

  if (conflict === undefined) return <AnimalEditor current={loaded.data} {...shared} />;
  // After another change of a colleague, the user decides again.
  return <Conflict key={conflict.theirs.etag} {...conflict} {...shared} />;
}

const isSame = (pet: PetVersion['pet'], values: PetInput): boolean =>
  Object.keys(changesOf(pet, values)).length === 0;

type NotLoadedProps = Pick<ReturnType<typeof usePet>, 'error' | 'refetch' | 'isPaused'>;

function NotLoaded({ error, refetch, isPaused }: NotLoadedProps) {
  if (hasCode(error, 'pet_not_found')) {
    return <p className="notice waiting">{TEXTS.animals.gone}</p>;
  }
  if (error) return <Failure error={error} onRetry={refetch} />;
  return isPaused ? <p className="notice waiting">{TEXTS.frame.offline}</p> : <Loading />;
}
