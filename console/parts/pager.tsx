import { type Address, goTo, linkTo } from '../address.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

interface Props {
  readonly address: Address;
  /** The cursor of the next page, or undefined on the last one. */
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
  const filters = Object.fromEntries(query);
  const goToCursor = (to: string, newTrail: readonly string[]) => {
    goTo(linkTo(screen, { ...filters, cursor: to }), newTrail);
    onTurn();
    scrollTo({ top: 0 });
  };
  const previous = trail.at(-1);
  return (
    <nav className="pager" aria-label={TEXTS.common.page(trail.length + 1)}>
      {previous === undefined && cursor !== '' ? (
        <Button icon="previous" onClick={() => goToCursor('', [])}>
          {TEXTS.common.first}
        </Button>
      ) : (
        <Button
          icon="previous"
          disabled={previous === undefined}
          onClick={() => goToCursor(previous ?? '', trail.slice(0, -1))}
        >
          {TEXTS.common.previous}
        </Button>
      )}
      {(cursor === '' || previous !== undefined) && (
        <span className="muted">{TEXTS.common.page(trail.length + 1)}</span>
      )}
      <Button
        disabled={nextCursor === undefined}
        isBusy={isBusy}
        onClick={() => goToCursor(nextCursor ?? '', [...trail, cursor])}
      >
        {TEXTS.common.next}
      </Button>
    </nav>
  );
}
