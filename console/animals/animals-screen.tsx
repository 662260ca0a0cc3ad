import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { linkTo, useAddress } from '../address.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Name } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { AddAnimal } from './add-animal.tsx';
import { AnimalDialog } from './animal-dialog.tsx';
import { AnimalFilters, validFilters } from './animal-filters.tsx';
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
  };
  const valid = validFilters(filters);
  const pets = usePets(valid && { ...valid, cursor: query.get('cursor') ?? '' });
  const inventory = useInventory();
  const [isAdding, setIsAdding] = useState(false);
  const [openId, setOpenId] = useState<string>();
  const total = Object.values(inventory.data ?? {}).reduce((sum, count) => sum + count, 0);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const addButton = (
    <Button look="primary" icon="plus" onClick={() => setIsAdding(true)}>
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
      <AnimalFilters filters={filters} inventory={inventory.data} />
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
          empty={
            isFiltered ? (
              <Empty
                icon="animals"
                title={TEXTS.animals.noneFound}
                hint={TEXTS.common.noneFoundHint}
              >
                <a href={linkTo('animals')}>{TEXTS.common.clear}</a>
              </Empty>
            ) : (
              <Empty icon="animals" title={TEXTS.animals.none} hint={TEXTS.animals.noneHint} />
            )
          }
          row={(pet) => <AnimalRow key={pet.id} pet={pet} onOpen={() => setOpenId(pet.id)} />}
        />
      )}
      {isAdding && <AddAnimal onClose={() => setIsAdding(false)} />}
      {openId !== undefined && <AnimalDialog id={openId} onClose={() => setOpenId(undefined)} />}
    </>
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
