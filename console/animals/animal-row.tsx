import type { Pet } from '../../sdk/src/index.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/named.tsx';
import { Row } from '../parts/row.tsx';
import { TEXTS } from '../texts.ts';
import { PetStatusChip } from './pet-status.tsx';

interface Props {
  readonly pet: Pet<string>;
  readonly onOpen: () => void;
}

export const AnimalRow = ({ pet: { id, name, categoryId, status }, onOpen }: Props) => (
  <Row onOpen={onOpen}>
    <td className="title">
      <Button look="link" onClick={onOpen} aria-label={TEXTS.animals.open(name)}>
        <Name>{name}</Name>
      </Button>
    </td>
    <td className="number wide" data-wide>
      <CategoryName id={categoryId} />
    </td>
    <td className="status">
      <PetStatusChip status={status} />
    </td>
    <td className="number end muted" data-label={TEXTS.common.id}>
      {id}
    </td>
  </Row>
);
