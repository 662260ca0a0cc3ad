import { useState } from 'react';
import type { Inventory, Pet } from '../../sdk/src/index.ts';
import { linkTo, sortIn, useAddress } from '../address.ts';
import { totalOf } from '../categories/queries.ts';
import { formatNumber } from '../format.ts';
import { int64Text } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Column, SortColumn } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { searchTerm, useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalsTransfer } from '../transfer/animals-transfer.tsx';
import { AddAnimal } from './add-animal.tsx';
import { AnimalDialog } from './animal-dialog.tsx';
import { AnimalFilters, type Filters, validFilters } from './animal-filters.tsx';
import { AnimalRow } from './animal-row.tsx';
import { MAX_SELECTED_FROM, useInventory, usePets } from './queries.ts';
import { type Selected, Selection } from './selection.tsx';

export function AnimalsScreen() {
  const { may } = useSession();
  const address = useAddress();
  const { query } = address;
  const filters = {
    status: query.get('status') ?? '',
    categoryId: query.get('category') ?? '',
    // Earlier addresses have the id beside the name.
    name: searchTerm(query.get('name') ?? query.get('id') ?? ''),
    sort: sortIn(query, ['id']),
  };
  const valid = validFilters(filters);
  const pets = usePets(valid && { ...valid, cursor: query.get('cursor') ?? '' });
  const { status, categoryId: category, name, sort } = filters;
  const search = useSearch({
    name,
    isLoaded: pets.data !== undefined && !pets.isPlaceholderData,
    linkOf: (searched) => linkTo('animals', { status, category, name: searched, sort }),
  });
  // The animal with the number that is searched for may have another name.
  const { data: counts } = useInventory(int64Text(name) === undefined ? valid : undefined);
  const [isAdding, setIsAdding] = useState(false);
  const [openId, setOpenId] = useState<string>();
  // The entry of a dialog in the history of the browser has the address of the list below it.
  const add = () => {
    search.settle();
    setIsAdding(true);
  };
  const open = (petId: string) => {
    search.settle();
    setOpenId(petId);
  };
  const mayChange = may('pets:write');
  const shown = pets.data?.data ?? [];
  const { selected, select, toggle } = useSelected(query.toString(), shown);
  const row = (pet: Pet<string>) => (
    <AnimalRow
      key={pet.id}
      pet={pet}
      onOpen={() => open(pet.id)}
      isSelected={selected.pets.some(({ id }) => id === pet.id)}
      onSelect={mayChange ? (isRange) => toggle(pet, isRange) : undefined}
    />
  );

  return (
    <>
      <Head filters={filters} query={valid} counts={counts} onAdd={add} />
      <AnimalFilters filters={filters} search={search} counts={counts} />
      {valid === undefined ? (
        <InvalidFilter icon="animals" link={linkTo('animals')} />
      ) : (
        <Listing
          address={address}
          result={pets}
          label={TEXTS.animals.title}
          isSlim
          columns={
            <>
              {mayChange && <PickPage shown={shown} selected={selected} onSelect={select} />}
              <Column>{TEXTS.common.name}</Column>
              <Column>{TEXTS.animals.category}</Column>
              <Column>{TEXTS.animals.status}</Column>
              <SortColumn address={address} sort="id" order="ascending" usual="descending" end>
                {TEXTS.common.id}
              </SortColumn>
            </>
          }
          empty={
            <NoAnimals filters={filters} isPart={pets.data?.nextCursor !== undefined} onAdd={add} />
          }
          row={row}
        />
      )}
      {selected.pets.length > 0 && (
        <Selection
          selected={selected}
          shown={shown}
          query={valid}
          hasMore={query.has('cursor') || pets.data?.nextCursor !== undefined}
          count={countOf(counts, filters)}
          onSelect={select}
        />
      )}
      {isAdding && <AddAnimal onClose={() => setIsAdding(false)} />}
      {openId !== undefined && <AnimalDialog id={openId} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

interface HeadProps {
  readonly filters: Filters;
  readonly query: ReturnType<typeof validFilters>;
  readonly counts: Inventory | undefined;
  readonly onAdd: () => void;
}

function Head({ filters, query, counts, onAdd }: HeadProps) {
  const { may } = useSession();
  const count = countOf(counts, filters);
  return (
    <Heading
      title={TEXTS.animals.title}
      introduction={
        count !== undefined && <span className="number">{countText(count, filters)}</span>
      }
    >
      <div className="actions">
        <AnimalsTransfer query={query} />
        {may('pets:write') && (
          <Button look="primary" icon="plus" onClick={onAdd}>
            {TEXTS.animals.add}
          </Button>
        )}
      </div>
    </Heading>
  );
}

/** What is selected on one page of the list. Another page begins without any. */
function useSelected(page: string, shown: readonly Pet<string>[]) {
  const [state, setState] = useState<{ page: string; selected: Selected; last?: string }>();
  const selected = state?.page === page ? state.selected : NOTHING;
  const select = (wanted: Selected, last?: string) =>
    setState({ page, selected: wanted, ...(last !== undefined && { last }) });
  /** @param isRange all between the last one and this one become as this one does. */
  const toggle = (pet: Pet<string>, isRange: boolean) => {
    const isOn = !selected.pets.some(({ id }) => id === pet.id);
    const placeOf = (wanted: string | undefined) => shown.findIndex(({ id }) => id === wanted);
    const ends = [placeOf(pet.id), isRange ? placeOf(state?.last) : -1].filter((at) => at !== -1);
    const range = shown.slice(Math.min(...ends), Math.max(...ends) + 1);
    const others = selected.pets.filter(({ id }) => !range.some((one) => one.id === id));
    select({ pets: isOn ? [...others, ...range] : others, isAll: false }, pet.id);
  };
  return { selected, select, toggle };
}

interface PickProps {
  readonly shown: readonly Pet<string>[];
  readonly selected: Selected;
  readonly onSelect: (selected: Selected) => void;
}

/** Selects all animals of the page, or none. */
function PickPage({ shown, selected: { pets }, onSelect }: PickProps) {
  const isPage = shown.every(({ id }) => pets.some((pet) => pet.id === id));
  return (
    <th scope="col" className="pick">
      <label>
        <input
          type="checkbox"
          aria-label={TEXTS.animals.bulk.page}
          checked={isPage}
          onChange={() => onSelect(isPage ? NOTHING : { pets: shown, isAll: false })}
        />
      </label>
    </th>
  );
}

const NOTHING: Selected = { pets: [], isAll: false };

const countOf = (counts: Inventory | undefined, { status }: Filters): number | undefined =>
  counts && (counts[status as keyof Inventory] ?? totalOf(counts));

const countText = (count: number, { status, categoryId, name }: Filters): string =>
  status === '' && categoryId === '' && name === ''
    ? TEXTS.animals.count(formatNumber(count))
    : TEXTS.animals.match(formatNumber(count));

interface NoAnimalsProps {
  readonly filters: Filters;
  /** Later pages may have some. */
  readonly isPart: boolean;
  readonly onAdd: () => void;
}

/** Why the list is empty, and the way to a longer one. */
function NoAnimals({ filters, isPart, onAdd }: NoAnimalsProps) {
  const { may } = useSession();
  const { status, categoryId: category, name } = filters;
  const isFiltered = [status, category].some((value) => value !== '');
  const { animals, common } = TEXTS;
  const clear = isFiltered && <a href={linkTo('animals')}>{common.clear}</a>;
  if (isPart) {
    const hint = animals.unsetPart(formatNumber(MAX_SELECTED_FROM));
    return <Empty icon="animals" title={animals.noneFound} hint={hint} />;
  }
  if (name !== '')
    return (
      <Empty
        icon="animals"
        title={<Named text={animals.noneNamed} name={name} />}
        hint={isFiltered ? animals.noneNamedFilters : common.noneNamedHint}
      >
        <a href={linkTo('animals', { status, category })}>{common.searchClear}</a>
        {clear}
      </Empty>
    );
  return isFiltered ? (
    <Empty icon="animals" title={animals.noneFound} hint={common.noneFoundHint}>
      {clear}
    </Empty>
  ) : (
    <Empty icon="animals" title={animals.none} hint={animals.noneHint}>
      {may('pets:write') && <Button onClick={onAdd}>{animals.addFirst}</Button>}
    </Empty>
  );
}
