import { type FormEvent, useEffect, useState } from 'react';
import type { Inventory } from '../../sdk/src/index.ts';
import { goTo, linkTo } from '../address.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { formatNumber } from '../format.ts';
import { int64Text } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Choices, TextField } from '../parts/field.tsx';
import { TEXTS } from '../texts.ts';
import { PET_STATUSES } from './pet-status.tsx';

interface Props {
  readonly filters: { readonly status: string; readonly categoryId: string; readonly id: string };
  readonly inventory: Inventory | undefined;
}

/** The filters of the list. They belong to the address, so that a filtered list can be bookmarked. */
export function AnimalFilters({ filters, inventory }: Props) {
  const [category, setCategory] = useState(filters.categoryId);
  const [id, setId] = useState(filters.id);
  const [isChecked, setIsChecked] = useState(false);
  // The browser's own back and forward also change the address.
  useEffect(() => {
    setCategory(filters.categoryId);
    setId(filters.id);
  }, [filters.categoryId, filters.id]);
  const categoryId = category.trim() === '' ? '' : int64Text(category);
  const petId = id.trim() === '' ? '' : int64Text(id);

  const go = (status: string) =>
    goTo(linkTo('animals', { status, category: filters.categoryId, id: filters.id }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (categoryId === undefined || petId === undefined) return;
    goTo(linkTo('animals', { status: filters.status, category: categoryId, id: petId }));
  };
  const label = (status: (typeof PET_STATUSES)[number]) => (
    <>
      {TEXTS.petStatus[status]}
      {inventory && <span className="number">{formatNumber(inventory[status])}</span>}
    </>
  );

  return (
    <form className="filters" onSubmit={submit} noValidate>
      <Choices
        legend={TEXTS.animals.status}
        hideLegend
        choices={[
          { value: '', label: TEXTS.common.all },
          ...PET_STATUSES.map((value) => ({ value, label: label(value) })),
        ]}
        chosen={[filters.status]}
        onChoose={go}
      />
      <CategoryField
        value={category}
        onChange={setCategory}
        fault={isChecked && categoryId === undefined ? TEXTS.common.number : undefined}
      />
      <TextField
        label={TEXTS.common.id}
        inputMode="numeric"
        value={id}
        onChange={(event) => setId(event.target.value)}
        fault={isChecked && petId === undefined ? TEXTS.common.number : undefined}
      />
      <Button type="submit">{TEXTS.common.search}</Button>
    </form>
  );
}
