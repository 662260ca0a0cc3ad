import type { Pet } from '../../sdk/src/index.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/named.tsx';
import { Row } from '../parts/row.tsx';
import { TEXTS } from '../texts.ts';
import { PetStatusChip } from './pet-status.tsx';
import { Pick } from './pick.tsx';

interface Props {
  readonly pet: Pet<string>;
  readonly onOpen: () => void;
  readonly isSelected: boolean;
  /** Undefined if animals cannot be selected. A click with Shift selects a range. */
  readonly onSelect: ((isRange: boolean) => void) | undefined;
}

export const AnimalRow = ({ pet, onOpen, isSelected, onSelect }: Props) => (
  <Row onOpen={onOpen}>
    {onSelect && (
      <Pick label={TEXTS.animals.bulk.select(pet.name)} isPicked={isSelected} onPick={onSelect} />
    )}
    <td className="title">
      <Button look="link" onClick={onOpen} aria-label={TEXTS.animals.open(pet.name)}>
        <Name>{pet.name}</Name>
      </Button>
    </td>
    <td className="number wide" data-wide>
      <CategoryName id={pet.categoryId} />
    </td>
    <td className="status">
      <PetStatusChip status={pet.status} />
    </td>
    <td className="number end muted" data-label={TEXTS.common.id}>
      {pet.id}
    </td>
  </Row>
);
