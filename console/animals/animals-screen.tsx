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
import { Pick } from './pick.tsx';
import { MAX_SELECTED_FROM, useInventory, usePets } from './queries.ts';
import { Selection } from './selection.tsx';
import { useSelected } from './use-selected.ts';

export function AnimalsScreen() {
  const { may } = useSession();
  const address = useAddress();
  const { query } = address;
  const filters = filtersOf(query);
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
  const count = counts && countOf(counts, filters);
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
  const selected = useSelected(query.toString(), shown);
  const row = (pet: Pet<string>) => (
    <AnimalRow
      key={pet.id}
      pet={pet}
      onOpen={() => open(pet.id)}
      isSelected={selected.has(pet)}
      onSelect={mayChange ? (isRange) => selected.toggle(pet, isRange) : undefined}
    />
  );

  return (
    <>
      <Heading
        title={TEXTS.animals.title}
        introduction={
          count !== undefined && <span className="number">{countText(count, filters)}</span>
        }
      >
        <div className="actions">
          <AnimalsTransfer query={valid} />
          {mayChange && (
            <Button look="primary" icon="plus" onClick={add}>
              {TEXTS.animals.add}
            </Button>
          )}
        </div>
      </Heading>
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
              {mayChange && (
                <Pick
                  label={TEXTS.animals.bulk.page}
                  isPicked={shown.every(selected.has)}
                  isPart={selected.pets.length > 0 && !shown.every(selected.has)}
                  onPick={() => selected.select(shown.every(selected.has) ? [] : shown)}
                />
              )}
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
      {valid && <Selection query={valid} selected={selected} shown={shown} count={count} />}
      {isAdding && <AddAnimal onClose={() => setIsAdding(false)} />}
      {openId !== undefined && <AnimalDialog id={openId} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

const filtersOf = (query: URLSearchParams): Filters => ({
  status: query.get('status') ?? '',
  categoryId: query.get('category') ?? '',
  // Earlier addresses have the id beside the name.
  name: searchTerm(query.get('name') ?? query.get('id') ?? ''),
  sort: sortIn(query, ['id']),
});

const countOf = (counts: Inventory, { status }: Filters): number =>
  counts[status as keyof Inventory] ?? totalOf(counts);

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
        {may('orders:read') && <a href={linkTo('orders', { find: name })}>{animals.inOrders}</a>}
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
