import { type Address, goTo, linkTo, pageOf } from '../address.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

interface Props {
  readonly address: Address;
  readonly nextCursor: string | undefined;
  /** The page of this address is being loaded, and the next cursor is not known yet. */
  readonly isBusy: boolean;
  readonly onTurn: () => void;
}

/** Goes to the next and the previous page of a list. Shows nothing if the list has one page. */
export function Pager({ address, nextCursor, isBusy, onTurn }: Props) {
  const { screen, query, trail } = address;
  const cursor = query.get('cursor') ?? '';
  if (cursor === '' && nextCursor === undefined) return null;
  const page = pageOf(address);
  const { cursor: _, page: __, ...filters } = Object.fromEntries(query);
  /** The number of the page is in the address, too: a person may send it to a colleague. */
  const goToPage = (to: string, number: number | undefined, newTrail: readonly string[]) => {
    const place = to === '' ? {} : { page: String(number ?? ''), cursor: to };
    goTo(linkTo(screen, { ...filters, ...place }), newTrail);
    onTurn();
    scrollTo({ top: 0 });
  };
  const label = TEXTS.common.page(page);
  const previous = trail.at(-1);
  return (
    <nav className="pager" aria-label={label}>
      <Button
        icon="previous"
        disabled={cursor === ''}
        onClick={() => goToPage(previous ?? '', page && page - 1, trail.slice(0, -1))}
      >
        {previous === undefined && cursor !== '' ? TEXTS.common.first : TEXTS.common.previous}
      </Button>
      <span className="muted">{label}</span>
      <Button
        disabled={nextCursor === undefined}
        isBusy={isBusy}
        onClick={() => goToPage(nextCursor ?? '', page && page + 1, [...trail, cursor])}
      >
        {TEXTS.common.next}
      </Button>
    </nav>
  );
}
