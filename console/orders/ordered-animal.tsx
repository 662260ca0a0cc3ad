import { LeaveButton } from '../parts/dialog.tsx';
import { Name } from '../parts/named.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';

interface Props {
  readonly id: string;
  /** Undefined if it is not known, null if the animal is deleted. */
  readonly name: string | null | undefined;
  readonly withNumber?: boolean;
  readonly onOpen: () => void;
}

/** The animal of an order, by its name if that is known. */
export function OrderedAnimal({ id, name, withNumber, onOpen }: Props) {
  const { may } = useSession();
  if (name === null || !may('pets:read')) {
    return (
      <>
        <span className="number">{id}</span>{' '}
        {name === null && <span className="muted">({TEXTS.orders.animalGone})</span>}
      </>
    );
  }
  return (
    <>
      <LeaveButton look="link" aria-label={TEXTS.animals.open(name ?? id)} onGo={onOpen}>
        {name === undefined ? id : <Name>{name}</Name>}
      </LeaveButton>
      {withNumber && name !== undefined && <span className="muted number"> {id}</span>}
    </>
  );
}
