import type { MouseEvent, ReactNode } from 'react';
import { goTo, linkTo, useAddress } from '../address.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

export interface Column<Item> {
  /** Its heading, also for a row that is a block. Without one, it has the actions of the row. */
  readonly title?: string;
  /** What stands in the place of the heading. */
  readonly head?: ReactNode;
  readonly cell: (item: Item) => ReactNode;
  readonly look?: string;
  readonly end?: boolean;
  /** In a row that is a block, the cell has a line of its own. */
  readonly isLine?: boolean;
  /** In a row that is a block, the heading stands before the cell. */
  readonly isLabelled?: boolean;
  readonly sort?: Sort;
}

interface Sort {
  /** The order in the address that the heading chooses. A second click goes back to the usual one. */
  readonly by: string;
  /** The usual order is the opposite. */
  readonly isOpposite?: boolean;
}

interface Props<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** Its columns are narrow: a row stays on one line, except on a phone. */
  readonly isSlim?: boolean;
  /** A click anywhere in a row opens it. A button in it does the same for the keyboard. */
  readonly onOpen?: ((item: Item) => void) | undefined;
}

/** A table. In a narrow window each row becomes a block. */
export const Table = <Item,>({ label, columns, items, keyOf, isSlim, onOpen }: Props<Item>) => (
  <table className={isSlim ? 'list slim' : 'list'} aria-label={label}>
    <thead>
      <tr>
        {columns.map((column, index) => (
          <Heading key={column.title ?? index} {...column} />
        ))}
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr
          key={keyOf(item)}
          className={onOpen ? 'row opens' : 'row'}
          onClick={onOpen && ((event) => opens(event) && onOpen(item))}
        >
          {columns.map(({ title, cell, look = '', end, isLine, isLabelled }, index) => (
            <td
              key={title ?? index}
              className={end ? `${look} end` : look}
              data-wide={isLine}
              data-label={isLabelled ? title : undefined}
            >
              {cell(item)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** What does something itself. */
const ACTIVE = 'a, button, input, label, summary';

/** Whether a click opens the row: not one that ends a selection of text. */
function opens({ target, currentTarget }: MouseEvent): boolean {
  const isActive = (target as Element).closest(ACTIVE) !== null;
  if (isActive || getSelection()?.isCollapsed === false) return false;
  // It gets the focus back from what is opened.
  currentTarget.querySelector('button')?.focus();
  return true;
}

/** The heading of a column. If it sorts, the list begins with its first page. */
function Heading<Item>({ title, head, look, end, sort }: Column<Item>) {
  const { screen, query } = useAddress();
  if (head !== undefined) return <td className={look}>{head}</td>;
  const present = query.get('sort') ?? '';
  const { cursor: _, page: __, ...filters } = Object.fromEntries(query);
  const turn = (by: string) => goTo(linkTo(screen, { ...filters, sort: present === by ? '' : by }));
  const isSorted =
    sort !== undefined && (present === sort.by || (present === '' && sort.isOpposite));
  const isDescending = sort?.by.startsWith('-') === (present !== '');
  return (
    <th
      scope="col"
      className={end ? 'end' : undefined}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      {sort ? (
        <Button look="link" onClick={() => turn(sort.by)}>
          {title}
        </Button>
      ) : (
        (title ?? <span className="visually-hidden">{TEXTS.common.actions}</span>)
      )}
    </th>
  );
}
