import { useState } from 'react';
import type { PetStatus } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { nameFault } from '../name-fault.ts';
import { TextField } from '../parts/field.tsx';
import { Form, type FormProps } from '../parts/form.tsx';
import { TEXTS } from '../texts.ts';
import { petOf } from './fields.tsx';
import type { PetInput } from './queries.ts';
import { StatusChoices } from './status-choices.tsx';

interface Props extends FormProps {
  readonly initial: PetInput;
  readonly autoFocus?: boolean;
  readonly lock?: string | undefined;
  readonly onSubmit: (pet: PetInput, isSecond: boolean) => void;
}

interface Edits {
  readonly name?: string;
  readonly category?: string;
  readonly status?: PetStatus | undefined;
}

/** The fields of an animal. Those that the user has not edited follow `initial`. Submits only what the service accepts. */
export function AnimalForm({ initial, autoFocus = true, lock, onSubmit, ...form }: Props) {
  const [edits, setEdits] = useState<Edits>({});
  const edit = (change: Edits) => setEdits({ ...edits, ...change });
  const { find, textOf } = useCategoryLookup(edits.category ?? initial.categoryId);
  const category = edits.category ?? textOf(initial.categoryId);
  const { name, status } = { ...initial, ...edits };
  const [isChecked, setIsChecked] = useState(false);
  const { id: categoryId, fault: categoryFault } = find(category);

  const submit = (isSecond: boolean) => {
    setIsChecked(true);
    if (nameFault(name) || categoryId === undefined) return;
    onSubmit(petOf({ name, categoryId, status }), isSecond);
  };

  return (
    <Form {...form} onSubmit={submit}>
      <TextField
        label={TEXTS.common.name}
        dir="auto"
        value={name}
        autoFocus={autoFocus}
        onChange={(event) => edit({ name: event.target.value })}
        fault={isChecked ? nameFault(name) : undefined}
      />
      <CategoryField
        value={category}
        onChange={(text) => edit({ category: text })}
        fault={isChecked ? categoryFault : undefined}
      />
      <StatusChoices
        status={status}
        disabled={form.isReadOnly || lock !== undefined}
        onChoose={(value) => edit({ status: value })}
      />
      {lock && <p className="muted">{lock}</p>}
    </Form>
  );
}
