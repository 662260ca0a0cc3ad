import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { linkTo, useAddress } from '../address.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { searchTerm, useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AddAnimal } from './add-animal.tsx';
import { AnimalDialog } from './animal-dialog.tsx';
import { AnimalFilters, type Filters, validFilters } from './animal-filters.tsx';
import { PetStatusChip } from './pet-status.tsx';
import { useInventory, usePets } from './queries.ts';

export function AnimalsScreen() {
  const { may } = useSession();
  const address = useAddress();
  const { query } = address;
  const filters = {
    status: query.get('status') ?? '',
    categoryId: query.get('category') ?? '',
    id: query.get('id') ?? '',
    name: searchTerm(query.get('name') ?? ''),
  };
  const valid = validFilters(filters);
  const pets = usePets(valid && { ...valid, cursor: query.get('cursor') ?? '' });
  const { status, categoryId: category, id, name } = filters;
  const search = useSearch({
    name,
    isLoaded: pets.data !== undefined && !pets.isPlaceholderData,
    linkOf: (searched) => linkTo('animals', { status, category, id, name: searched }),
  });
  const inventory = useInventory();
  const [isAdding, setIsAdding] = useState(false);
  const [openId, setOpenId] = useState<string>();
  const total = Object.values(inventory.data ?? {}).reduce((sum, count) => sum + count, 0);
  // The entry of a dialog in the history of the browser has the address of the list below it.
  const add = () => {
    search.settle();
    setIsAdding(true);
  };
  const open = (petId: string) => {
    search.settle();
    setOpenId(petId);
  };
  const addButton = (
    <Button look="primary" icon="plus" onClick={add}>
      {TEXTS.animals.add}
    </Button>
  );

  return (
    <>
      <Heading
        title={TEXTS.animals.title}
        introduction={
          inventory.data && (
            <span className="number">{TEXTS.animals.count(formatNumber(total))}</span>
          )
        }
      >
        {may('pets:write') && addButton}
      </Heading>
      <AnimalFilters filters={filters} search={search} inventory={inventory.data} />
      {valid === undefined ? (
        <InvalidFilter icon="animals" link={linkTo('animals')} />
      ) : (
        <Listing
          address={address}
          result={pets}
          label={TEXTS.animals.title}
          columns={
            <>
              <Column>{TEXTS.common.name}</Column>
              <Column>{TEXTS.animals.category}</Column>
              <Column>{TEXTS.animals.status}</Column>
              <Column end>{TEXTS.common.id}</Column>
            </>
          }
          empty={<NoAnimals filters={filters} />}
          row={(pet) => <AnimalRow key={pet.id} pet={pet} onOpen={() => open(pet.id)} />}
        />
      )}
      {isAdding && <AddAnimal onClose={() => setIsAdding(false)} />}
      {openId !== undefined && <AnimalDialog id={openId} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

/** Why the list is empty, and the way to a longer one. */
function NoAnimals({ filters }: { readonly filters: Filters }) {
  const { status, categoryId: category, id, name } = filters;
  const isFiltered = [status, category, id].some((value) => value !== '');
  const { animals, common } = TEXTS;
  const clear = isFiltered && <a href={linkTo('animals')}>{common.clear}</a>;
  if (name !== '')
    return (
      <Empty
        icon="animals"
        title={<Named text={animals.noneNamed} name={name} />}
        hint={isFiltered ? animals.noneNamedFilters : common.noneNamedHint}
      >
        <a href={linkTo('animals', { status, category, id })}>{common.searchClear}</a>
        {clear}
      </Empty>
    );
  return isFiltered ? (
    <Empty icon="animals" title={animals.noneFound} hint={common.noneFoundHint}>
      {clear}
    </Empty>
  ) : (
    <Empty icon="animals" title={animals.none} hint={animals.noneHint} />
  );
}

interface RowProps {
  readonly pet: Pet<string>;
  readonly onOpen: () => void;
}

function AnimalRow({ pet: { id, name, categoryId, status }, onOpen }: RowProps) {
  return (
    <tr className="row">
      <td className="title">
        <Button look="link" onClick={onOpen} aria-label={TEXTS.animals.open(name)}>
          <Name>{name}</Name>
        </Button>
      </td>
      <td className="number" data-wide>
        <CategoryName id={categoryId} />
      </td>
      <td>
        <PetStatusChip status={status} />
      </td>
      <td className="number end muted" data-label={TEXTS.common.id}>
        {id}
      </td>
    </tr>
  );
}
