import type { ReactNode } from 'react';

/** The heading of a column of a list. */
export function Column({
  end,
  children,
}: {
  readonly end?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <th scope="col" className={end ? 'end' : undefined}>
      {children}
    </th>
  );
}
