import { type FormEvent, useEffect, useState } from 'react';
import type { Inventory } from '../../sdk/src/index.ts';
import { goTo, linkTo } from '../address.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { optionalInt64, optionalInt64Fault } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Choices, TextField } from '../parts/field.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { type Search, searchFault } from '../search.ts';
import { TEXTS } from '../texts.ts';
import { PET_STATUSES } from './pet-status.tsx';

/** The filters as they are in the address, valid or not. */
export interface Filters {
  readonly status: string;
  readonly categoryId: string;
  readonly id: string;
  readonly name: string;
}

/** The filters if all of them are valid. */
export function validFilters(filters: Filters) {
  const status = STATUSES.find((known) => known === filters.status);
  const categoryId = optionalInt64(filters.categoryId);
  const id = optionalInt64(filters.id);
  if (status === undefined || categoryId === undefined || id === undefined) return undefined;
  const { name } = filters;
  return searchFault(name) === undefined ? { status, categoryId, id, name } : undefined;
}

const STATUSES = ['', ...PET_STATUSES] as const;

interface Props {
  readonly filters: Filters;
  readonly search: Search;
  readonly inventory: Inventory | undefined;
}

/** The filters of the list. They belong to the address, so that a filtered list can be bookmarked. */
export function AnimalFilters({ filters, search, inventory }: Props) {
  const [category, setCategory] = useState(filters.categoryId);
  const [id, setId] = useState(filters.id);
  /** The filters of the address are checked, too. */
  const [isChecked, setIsChecked] = useState(true);
  const lookUp = useCategoryLookup();
  // The browser's own back and forward also change the address.
  useEffect(() => {
    setCategory(filters.categoryId);
    setId(filters.id);
    setIsChecked(true);
  }, [filters.categoryId, filters.id]);
  const found = category.trim() === '' ? { id: '' } : lookUp(category);
  const petId = optionalInt64(id);
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    setIsChecked(false);
  };
  // In an address, a category is a number.
  const addressFault = category === filters.categoryId ? optionalInt64Fault(category) : undefined;
  const categoryFault = addressFault ?? found.fault;

  const go = (status: string) => {
    const { categoryId, id } = filters;
    goTo(linkTo('animals', { status, category: categoryId, id, name: search.term }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (found.id === undefined || petId === undefined) return;
    const { status } = filters;
    goTo(linkTo('animals', { status, category: found.id, id: petId, name: search.term }));
  };
  const label = (status: (typeof PET_STATUSES)[number]) => (
    <>
      {TEXTS.petStatus[status]}
      {inventory && <span className="number">{formatNumber(inventory[status])}</span>}
    </>
  );

  return (
    <form className="filters" onSubmit={submit} noValidate>
      <SearchField search={search} name={filters.name} />
      <Choices
        legend={TEXTS.animals.status}
        hideLegend
        choices={[
          { value: '', label: TEXTS.common.all },
          ...PET_STATUSES.map((value) => ({ value, label: label(value) })),
        ]}
        chosen={[filters.status]}
        onChoose={go}
        fault={
          STATUSES.some((known) => known === filters.status)
            ? undefined
            : TEXTS.common.unknownStatus
        }
      />
      <CategoryField
        value={category}
        onChange={edit(setCategory)}
        fault={isChecked ? categoryFault : undefined}
      />
      <TextField
        label={TEXTS.common.id}
        inputMode="numeric"
        value={id}
        onChange={(event) => edit(setId)(event.target.value)}
        fault={isChecked ? optionalInt64Fault(id) : undefined}
      />
      <Button type="submit">{TEXTS.common.search}</Button>
    </form>
  );
}
