import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { linkTo } from '../address.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { AddList } from './add-list.tsx';
import { AnimalForm } from './animal-form.tsx';
import { type PetInput, useCreatePet } from './queries.ts';

const FIRST: PetInput = { name: '', categoryId: '', status: 'available' };

/** Adds one animal, one after the other, or a list of names. */
export function AddAnimal({ onClose }: { readonly onClose: () => void }) {
  const [isList, setIsList] = useState(false);
  const [added, setAdded] = useState({ count: 0, next: FIRST });
  if (isList) {
    return (
      <Dialog title={TEXTS.animals.addList} onClose={onClose}>
        <AddList onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={TEXTS.animals.add} onClose={onClose} saved={added.count}>
      <AddOne
        key={added.count}
        initial={added.next}
        isSeveral={added.count > 0}
        // The next animal is often of the same kind.
        onNext={(pet) => setAdded({ count: added.count + 1, next: { ...pet, name: '' } })}
        onList={() => setIsList(true)}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface AddOneProps {
  readonly initial: PetInput;
  /** The user adds several animals: Enter adds this one and goes on. */
  readonly isSeveral: boolean;
  readonly onNext: (pet: PetInput) => void;
  readonly onList: () => void;
  readonly onClose: () => void;
}

function AddOne({ initial, isSeveral, onNext, onList, onClose }: AddOneProps) {
  const announceAdded = useAnnounceAdded();
  const create = useCreatePet();
  const texts = TEXTS.animals;
  const add = (pet: PetInput, goesOn: boolean) =>
    create.mutate(pet, {
      onSuccess: (added) => {
        announceAdded(added, !goesOn);
        if (goesOn) onNext(pet);
        else onClose();
      },
    });
  return (
    <AnimalForm
      initial={initial}
      action={isSeveral ? texts.addAnother : texts.add}
      second={
        <Button type="submit" name={SECOND} isBusy={create.isPending}>
          {isSeveral ? texts.add : texts.addAnother}
        </Button>
      }
      last={
        !isSeveral && (
          <Button look="quiet" onClick={onList}>
            {texts.addList}
          </Button>
        )
      }
      isBusy={create.isPending}
      error={create.error}
      onSubmit={(pet, submitter) =>
        add(pet, (submitter?.getAttribute('name') === SECOND) !== isSeveral)
      }
    />
  );
}

const SECOND = 'second';

/** Says that an animal was added, with the way to it if the user does not go on at once. */
export function useAnnounceAdded() {
  const announce = useAnnounce();
  return ({ id, name }: Pet<string>, isLinked = true) => {
    const link = { label: TEXTS.animals.show, href: linkTo('animals', { name: id }) };
    announce(<Named text={TEXTS.animals.added} name={name} />, isLinked ? link : undefined);
  };
}
