import type { ReactNode } from 'react';
import { type Address, goTo, linkTo } from '../address.ts';
import { Button } from './button.tsx';

interface Props {
  readonly end?: boolean;
  readonly children: ReactNode;
}

/** The heading of a column of a list. */
export const Column = ({ end, children }: Props) => (
  <th scope="col" className={end ? 'end' : undefined}>
    {children}
  </th>
);

type Order = 'ascending' | 'descending';

interface SortProps extends Props {
  readonly address: Address;
  /** The order in the address that the heading chooses. A second click goes back to the usual one. */
  readonly sort: string;
  readonly order: Order;
  /** How the column is ordered in the usual order. */
  readonly usual?: Order;
}

/** A heading that changes the order of the list, and begins with its first page. */
export function SortColumn({
  address: { screen, query },
  sort,
  order,
  usual,
  end,
  children,
}: SortProps) {
  const present = query.get('sort') ?? '';
  const { cursor: _, page: __, ...filters } = Object.fromEntries(query);
  const turn = () => goTo(linkTo(screen, { ...filters, sort: present === sort ? '' : sort }));
  return (
    <th
      scope="col"
      className={end ? 'end' : undefined}
      aria-sort={present === sort ? order : present === '' ? usual : undefined}
    >
      <Button look="link" onClick={turn}>
        {children}
      </Button>
    </th>
  );
}
