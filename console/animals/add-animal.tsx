import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { linkTo } from '../address.ts';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { AddList } from './add-list.tsx';
import { AnimalForm } from './animal-form.tsx';
import { type PetInput, useCreatePet } from './queries.ts';

const FIRST: PetInput = { name: '', categoryId: '', status: 'available' };

/** Adds one animal, one after the other, or a list of names. */
export function AddAnimal({ onClose }: { readonly onClose: () => void }) {
  const announceAdded = useAnnounceAdded();
  const create = useCreatePet();
  const [isList, setIsList] = useState(false);
  const [added, setAdded] = useState({ count: 0, next: FIRST });
  /** The user adds several animals: Enter adds this one and goes on. */
  const isSeveral = added.count > 0;
  const texts = TEXTS.animals;
  const add = (pet: PetInput, goesOn: boolean) =>
    create.mutate(pet, {
      onSuccess: (stored) => {
        announceAdded(stored, !goesOn);
        // The next animal is often of the same kind.
        if (goesOn) setAdded({ count: added.count + 1, next: { ...pet, name: '' } });
        else onClose();
      },
    });
  if (isList) {
    return (
      <Dialog key="list" title={texts.addList} onClose={onClose}>
        <AddList onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.add} onClose={onClose} saved={added.count}>
      <AnimalForm
        key={added.count}
        initial={added.next}
        action={isSeveral ? texts.addAnother : texts.add}
        second={isSeveral ? texts.add : texts.addAnother}
        last={
          !isSeveral && (
            <LeaveButton look="quiet" onGo={() => setIsList(true)}>
              {texts.addList}
            </LeaveButton>
          )
        }
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(pet, isSecond) => add(pet, isSecond !== isSeveral)}
      />
    </Dialog>
  );
}

/** Says that an animal was added, with the way to it if the user does not go on at once. */
export function useAnnounceAdded() {
  const announce = useAnnounce();
  return ({ id, name }: Pet<string>, isLinked = true) => {
    const link = { label: TEXTS.animals.show, href: linkTo('animals', { name: id }) };
    announce(<Named text={TEXTS.animals.added} name={name} />, isLinked ? link : undefined);
  };
}
