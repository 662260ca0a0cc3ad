import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { MAX_NOTE_LENGTH, MAX_REFERENCE_LENGTH } from '../orders/order-texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Named } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { usePlaceOrder } from './sale-queries.ts';

interface Props {
  readonly pet: Pet<string>;
  readonly onClose: () => void;
}

/** Reserves an animal, perhaps for a person. */
export function Reserve({ pet, onClose }: Props) {
  const done = useDone(onClose);
  const place = usePlaceOrder();
  const [reference, setReference] = useState('');
  const [note, setNote] = useState('');
  const submit = () => {
    const texts = { reference: reference.trim(), note: note.trim() };
    const given = Object.entries(texts).filter(([, text]) => text !== '');
    const onSuccess = () => done(<Named text={TEXTS.animals.reserved} name={pet.name} />);
    place.mutate({ petId: pet.id, ...Object.fromEntries(given) }, { onSuccess });
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
          label={TEXTS.common.reference}
          hint={TEXTS.animals.referenceHint}
          dir="auto"
          autoFocus
          maxLength={MAX_REFERENCE_LENGTH}
          value={reference}
          onChange={(event) => setReference(event.target.value)}
        />
        <TextArea
          label={TEXTS.common.note}
          dir="auto"
          maxLength={MAX_NOTE_LENGTH}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}
