import { type FormEvent, type ReactNode, useState } from 'react';
import type { Pet, PetStatus } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { nameFault } from '../name-fault.ts';
import { Choices, TextField } from '../parts/field.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { petOf } from './fields.tsx';
import { PET_STATUSES } from './pet-status.tsx';
import type { PetInput } from './queries.ts';

interface Props {
  readonly initial: Omit<Pet<string>, 'id'>;
  readonly isReadOnly?: boolean;
  /** Why the status cannot be changed here. */
  readonly lock?: string | undefined;
  /** Called when the user changes a field. */
  readonly onEdit?: () => void;
  readonly onSubmit: (pet: PetInput) => void;
  /** Content below the fields, including the submit button. */
  readonly children: ReactNode;
}

interface Edits {
  readonly name?: string;
  readonly category?: string;
  readonly status?: PetStatus | undefined;
}

/** The fields of an animal. Those that the user has not edited follow `initial`. Submits only what the service accepts. */
export function AnimalForm({ initial, isReadOnly, lock, onEdit, onSubmit, children }: Props) {
  const { may } = useSession();
  const [edits, setEdits] = useState<Edits>({});
  const edit = (change: Edits) => setEdits({ ...edits, ...change });
  const { find, textOf } = useCategoryLookup();
  const category = edits.category ?? textOf(initial.categoryId);
  const { name, status } = { ...initial, ...edits };
  const [isChecked, setIsChecked] = useState(false);
  const { id: categoryId, fault: categoryFault } = find(category);

  // Sold is the result of a sale, so that an order says who sold the animal and when.
  const statuses = PET_STATUSES.filter(
    (known) => known !== 'sold' || status === 'sold' || !may('orders:write'),
  );

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (nameFault(name) !== undefined || categoryId === undefined) return;
    onSubmit(petOf({ name, categoryId, status }));
  };

  return (
    <form onSubmit={submit} onChange={onEdit} noValidate>
      <TextField
        label={TEXTS.common.name}
        dir="auto"
        value={name}
        readOnly={isReadOnly}
        autoFocus={!isReadOnly}
        onChange={(event) => edit({ name: event.target.value })}
        fault={isChecked ? nameFault(name) : undefined}
      />
      <CategoryField
        value={category}
        readOnly={isReadOnly}
        onChange={(text) => edit({ category: text })}
        fault={isChecked ? categoryFault : undefined}
      />
      <Choices
        legend={TEXTS.animals.status}
        choices={[
          ...statuses.map((value) => ({ value, label: TEXTS.petStatus[value] })),
          { value: '', label: TEXTS.petStatus.unset },
        ]}
        chosen={[status ?? '']}
        disabled={isReadOnly || lock !== undefined}
        onChoose={(value) => edit({ status: PET_STATUSES.find((known) => known === value) })}
      />
      {lock && <p className="muted">{lock}</p>}
      {children}
    </form>
  );
}
