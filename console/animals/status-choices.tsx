import type { PetStatus } from '../../sdk/src/index.ts';
import { Choices } from '../parts/field.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { PET_STATUSES } from './pet-statuses.ts';

interface Props {
  readonly status: PetStatus | undefined;
  readonly disabled?: boolean;
  readonly onChoose: (status: PetStatus | undefined) => void;
}

/** The status of an animal. Sold is the result of a sale, so that an order says who sold the animal and when. */
export function StatusChoices({ status, disabled, onChoose }: Props) {
  const { may } = useSession();
  const offered = PET_STATUSES.filter(
    (known) => known !== 'sold' || status === 'sold' || !may('orders:write'),
  );
  return (
    <Choices
      legend={TEXTS.common.status}
      choices={[
        ...offered.map((value) => ({ value, label: TEXTS.petStatus[value] })),
        { value: '', label: TEXTS.petStatus.unset },
      ]}
      chosen={[status ?? '']}
      disabled={disabled}
      onChoose={(value) => onChoose(PET_STATUSES.find((known) => known === value))}
    />
  );
}
