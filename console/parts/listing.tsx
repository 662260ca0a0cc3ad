import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../sdk/src/index.ts';
import type { Address } from '../address.ts';
import { Failure, Loading } from './notices.tsx';
import { Pager } from './pager.tsx';

interface Props<Item> {
  readonly address: Address;
  readonly result: UseQueryResult<Page<Item>>;
  /** The headings of the columns. */
  readonly columns: ReactNode;
  readonly label: string;
  /** What stands in the place of an empty list. */
  readonly empty: ReactNode;
  readonly row: (item: Item) => ReactNode;
}

/** One page of a list as a table, in each of its states: loading, failing, empty, full. */
export function Listing<Item>({ address, result, columns, label, empty, row }: Props<Item>) {
  const { data: page, error, refetch, isPlaceholderData } = result;
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!(error && page === undefined) && (
        <div className="card" aria-busy={isPlaceholderData}>
          {page === undefined && <Loading />}
          {page?.data.length === 0 && empty}
          {page !== undefined && page.data.length > 0 && (
            <table className="list" aria-label={label}>
              <thead>
                <tr>{columns}</tr>
              </thead>
              <tbody>{page.data.map(row)}</tbody>
            </table>
          )}
        </div>
      )}
      {page !== undefined && <Pager address={address} nextCursor={page.nextCursor} />}
    </>
  );
}
