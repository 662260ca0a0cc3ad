import { type Address, goTo, linkTo } from '../address.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

interface Props {
  readonly address: Address;
  /** The cursor of the next page, or undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/** Goes to the next and the previous page of a list. Shows nothing if the list has one page. */
export function Pager({ address: { screen, query, trail }, nextCursor }: Props) {
  const cursor = query.get('cursor') ?? '';
  if (cursor === '' && nextCursor === undefined) return null;
  const filters = Object.fromEntries(query);
  const goToCursor = (to: string, newTrail: readonly string[]) => {
    goTo(linkTo(screen, { ...filters, cursor: to }), newTrail);
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
        onClick={() => goToCursor(nextCursor ?? '', [...trail, cursor])}
      >
        {TEXTS.common.next}
      </Button>
    </nav>
  );
}
