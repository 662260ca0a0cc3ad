import { useState } from 'react';
import type { PetStatus } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { nameFault } from '../name-fault.ts';
import { TextArea } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Name } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { useCreatePets } from './queries.ts';
import { StatusChoices } from './status-choices.tsx';

const MAX_NAMES = 1000;

const SHOWN_NAMES = 12;

const texts = TEXTS.animals;

/** What is wrong with the names, one a line. */
function faultOf(names: readonly string[]): string | undefined {
  if (names.length === 0) return TEXTS.common.nameFaults.blank;
  if (names.length > MAX_NAMES) return texts.tooMany(formatNumber(MAX_NAMES));
  const faulty = names.findIndex(nameFault);
  const fault = nameFault(names[faulty] ?? '');
  return faulty === -1 ? undefined : texts.nameFault(formatNumber(faulty + 1), fault ?? '');
}

/** Adds an animal for each line of a text, all or none. */
export function AddList({ onClose }: { readonly onClose: () => void }) {
  const done = useDone(onClose);
  const create = useCreatePets();
  const [text, setText] = useState('');
  const [category, setCategory] = useState('');
  const [status, setStatus] = useState<PetStatus | undefined>('available');
  const [isChecked, setIsChecked] = useState(false);
  const { id: categoryId, fault } = useCategoryLookup(category).find(category);
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const count = formatNumber(names.length);
  const submit = () => {
    setIsChecked(true);
    if (faultOf(names) || categoryId === undefined) return;
    const pets = names.map((name) => ({ name, categoryId, ...(status && { status }) }));
    create.mutate(pets, { onSuccess: () => done(texts.addedMany(count)) });
  };
  return (
    <Form
      action={texts.addMany(count)}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
    >
      <TextArea
        label={texts.names}
        hint={texts.namesHint}
        dir="auto"
        rows={6}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        fault={isChecked ? faultOf(names) : undefined}
      />
      {names.length > 0 && (
        <section className="preview" aria-label={texts.preview}>
          <h3>{texts.addMany(count)}</h3>
          <ol>
            {names.slice(0, SHOWN_NAMES).map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: several animals can have the same name
              <li key={index}>
                <Name>{name}</Name>
              </li>
            ))}
          </ol>
          {names.length > SHOWN_NAMES && (
            <p className="muted">{texts.more(formatNumber(names.length - SHOWN_NAMES))}</p>
          )}
        </section>
      )}
      <CategoryField
        value={category}
        onChange={setCategory}
        fault={isChecked ? fault : undefined}
      />
      <StatusChoices status={status} onChoose={setStatus} />
    </Form>
  );
}
