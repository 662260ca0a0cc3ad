import { type FormEvent, useEffect, useState } from 'react';
import type { Inventory } from '../../sdk/src/index.ts';
import { goTo, linkTo } from '../address.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { optionalInt64, optionalInt64Fault } from '../int64.ts';
import { Choices } from '../parts/field.tsx';
import { FoldedFilters } from '../parts/folded-filters.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { type Search, searchFault } from '../search.ts';
import { TEXTS } from '../texts.ts';
import { PET_STATUSES } from './pet-statuses.ts';

/** The filters as they are in the address, valid or not. */
export interface Filters {
  readonly status: string;
  readonly categoryId: string;
  /** A part of the name, or the id. */
  readonly name: string;
  readonly sort: 'id' | '';
}

/** The statuses by which the list is filtered: `unset` selects the animals without one. */
const CHOICES = [...PET_STATUSES, 'unset'] as const;

export function validFilters(filters: Filters) {
  const status = STATUSES.find((known) => known === filters.status);
  const categoryId = optionalInt64(filters.categoryId);
  if (status === undefined || categoryId === undefined) return undefined;
  const { name, sort } = filters;
  return searchFault(name) === undefined ? { status, categoryId, name, sort } : undefined;
}

const STATUSES = ['', ...CHOICES] as const;

interface Props {
  readonly filters: Filters;
  readonly search: Search;
  /** The counts of the animals that the list shows without the filter of the status. Undefined if they are not known. */
  readonly counts: Inventory | undefined;
}

/** The filters of the list. They belong to the address, so that a filtered list can be bookmarked. */
export function AnimalFilters({ filters, search, counts }: Props) {
  const { status, categoryId } = filters;
  const [typed, setTyped] = useState<string>();
  const { find, textOf } = useCategoryLookup(typed ?? categoryId);
  /** The filters of the address are checked, too. */
  const [isChecked, setIsChecked] = useState(true);
  // The browser's own back and forward also change the address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another category replaces what was typed
  useEffect(() => {
    setTyped(undefined);
    setIsChecked(true);
  }, [categoryId]);
  const category = typed ?? textOf(categoryId);
  const found = category.trim() === '' ? { id: '' } : find(category);
  // In an address, a category is a number.
  const fault = category === categoryId ? optionalInt64Fault(category) : found.fault;

  const go = (change: Partial<Filters>) => {
    const { categoryId: wanted, ...rest } = { ...filters, ...change };
    goTo(linkTo('animals', { ...rest, category: wanted, name: search.term }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (found.id !== undefined) go({ categoryId: found.id });
  };
  const isStatus = (STATUSES as readonly string[]).includes(status);
  const label = (value: (typeof CHOICES)[number]) => (
    <>
      {TEXTS.petStatus[value]}
      {counts && <span className="number">{formatNumber(counts[value])}</span>}
    </>
  );
  return (
    <div className="filters">
      <SearchField search={search} hint={TEXTS.animals.searchHint} />
      <FoldedFilters
        active={[status, categoryId].filter((value) => value !== '').length}
        isFaulty={(isChecked && fault !== undefined) || !isStatus}
      >
        <form onSubmit={submit} onBlur={() => setIsChecked(true)} noValidate>
          <CategoryField
            isFilter
            value={category}
            onChange={(text) => {
              setTyped(text);
              setIsChecked(false);
              if (text.trim() === '') go({ categoryId: '' });
            }}
            onChoose={(id) => id !== categoryId && go({ categoryId: id })}
            fault={isChecked ? fault : undefined}
          />
        </form>
        <Choices
          legend={TEXTS.common.status}
          choices={[
            { value: '', label: TEXTS.common.all },
            ...CHOICES.map((value) => ({ value, label: label(value) })),
          ]}
          chosen={[status]}
          onChoose={(value) => go({ status: value })}
          fault={isStatus ? undefined : TEXTS.common.unknownStatus}
        />
      </FoldedFilters>
    </div>
  );
}
