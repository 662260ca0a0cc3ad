import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Named } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';
import { usePlaceOrder } from './sale-queries.ts';

/** What the service accepts, in UTF-16 here, so never too long. */
const MAX_REFERENCE_LENGTH = 100;
const MAX_NOTE_LENGTH = 1000;

interface Props {
  readonly pet: Pet<string>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Reserves an animal, perhaps for a person. */
export function Reserve({ pet, onClose, onDone }: Props) {
  const place = usePlaceOrder();
  const [reference, setReference] = useState('');
  const [note, setNote] = useState('');
  const submit = () => {
    const texts = { reference: reference.trim(), note: note.trim() };
    const given = Object.entries(texts).filter(([, text]) => text !== '');
    place.mutate({ petId: pet.id, ...Object.fromEntries(given) }, { onSuccess: onDone });
  };
  return (
    <Dialog title={<Named text={TEXTS.animals.reserveTitle} name={pet.name} />} onClose={onClose}>
      <Form
        action={TEXTS.animals.reserve}
        isBusy={place.isPending}
        error={place.error}
        onSubmit={submit}
      >
        <TextField
          label={TEXTS.animals.reference}
          hint={TEXTS.animals.referenceHint}
          dir="auto"
          autoFocus
          maxLength={MAX_REFERENCE_LENGTH}
          value={reference}
          onChange={(event) => setReference(event.target.value)}
        />
        <TextArea
          label={TEXTS.animals.note}
          dir="auto"
          maxLength={MAX_NOTE_LENGTH}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}
