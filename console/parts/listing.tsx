import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../sdk/src/index.ts';
import type { Address } from '../address.ts';
import { TEXTS } from '../texts.ts';
import { useKeepFocus } from './keep-focus.ts';
import { Empty, Failure, Loading } from './notices.tsx';
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
  const keeper = useKeepFocus<HTMLDivElement>();
  const isLaterPage = address.query.has('cursor');
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!(error && page === undefined) && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
        <div
          {...keeper}
          className="card"
          role="group"
          aria-label={label}
          aria-busy={isPlaceholderData}
        >
          {page === undefined && <Loading />}
          {page?.data.length === 0 && (isLaterPage ? <EmptyPage /> : empty)}
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
      <p className="visually-hidden" role="status">
        {page !== undefined &&
          !isPlaceholderData &&
          TEXTS.common.entries(page.data.length, address.trail.length + 1)}
      </p>
      {(page !== undefined || error) && (
        <Pager
          address={address}
          nextCursor={page?.nextCursor}
          isBusy={isPlaceholderData}
          onTurn={() => keeper.ref.current?.focus({ preventScroll: true })}
        />
      )}
    </>
  );
}

/** The animals of a later page may be deleted while the user is on it. */
const EmptyPage = () => (
  <Empty icon="previous" title={TEXTS.common.pageEmpty} hint={TEXTS.common.pageEmptyHint} />
);
