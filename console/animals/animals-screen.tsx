import { useState } from 'react';
import type { Inventory, Pet } from '../../sdk/src/index.ts';
import { linkTo, sortIn, useAddress } from '../address.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { totalOf } from '../categories/queries.ts';
import { formatNumber } from '../format.ts';
import { int64Text } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import type { Column } from '../parts/table.tsx';
import { searchTerm, useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalsTransfer } from '../transfer/animals-transfer.tsx';
import { AddAnimal } from './add-animal.tsx';
import { AnimalDialog } from './animal-dialog.tsx';
import { AnimalFilters, type Filters, validFilters } from './animal-filters.tsx';
import { PetStatusChip } from './pet-status.tsx';
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
    result: pets,
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
  const open = ({ id }: Pet<string>) => {
    search.settle();
    setOpenId(id);
  };
  const mayChange = may('pets:write');
  const shown = pets.data?.data ?? [];
  const selected = useSelected(query.toString(), shown);
  const isPage = shown.every(selected.has);
  const texts = TEXTS.animals;
  const pick: Column<Pet<string>> = {
    look: 'pick',
    head: (
      <Pick
        label={texts.bulk.page}
        isPicked={isPage}
        isPart={selected.pets.length > 0 && !isPage}
        onPick={() => selected.select(isPage ? [] : shown)}
      />
    ),
    cell: (pet) => (
      <Pick
        label={texts.bulk.select(pet.name)}
        isPicked={selected.has(pet)}
        onPick={(isRange) => selected.toggle(pet, isRange)}
      />
    ),
  };
  const columns: readonly Column<Pet<string>>[] = [
    ...(mayChange ? [pick] : []),
    {
      title: TEXTS.common.name,
      look: 'title',
      cell: (pet) => (
        <Button look="link" onClick={() => open(pet)} aria-label={texts.open(pet.name)}>
          <Name>{pet.name}</Name>
        </Button>
      ),
    },
    {
      title: TEXTS.common.category,
      look: 'number wide',
      isLine: true,
      cell: ({ categoryId }) => <CategoryName id={categoryId} />,
    },
    {
      title: TEXTS.common.status,
      look: 'status',
      cell: (pet) => <PetStatusChip status={pet.status} />,
    },
    {
      title: TEXTS.common.id,
      look: 'number muted',
      end: true,
      isLabelled: true,
      sort: { by: 'id', isOpposite: true },
      cell: ({ id }) => id,
    },
  ];

  return (
    <>
      <Heading
        title={TEXTS.navigation.animals}
        introduction={
          count !== undefined && <span className="number">{countText(count, filters)}</span>
        }
      >
        <div className="actions">
          <AnimalsTransfer query={valid} />
          {mayChange && (
            <Button look="primary" icon="plus" onClick={add}>
              {texts.add}
            </Button>
          )}
        </div>
      </Heading>
      <AnimalFilters filters={filters} search={search} counts={counts} />
      <Listing
        screen="animals"
        address={address}
        isValid={valid !== undefined}
        result={pets}
        isSlim
        columns={columns}
        onOpen={open}
        empty={
          <NoAnimals filters={filters} isPart={pets.data?.nextCursor !== undefined} onAdd={add} />
        }
      />
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
