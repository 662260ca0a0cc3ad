import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Address, pageOf } from '../address.ts';
import type { ListPage } from '../first-page.ts';
import { TEXTS } from '../texts.ts';
import type { IconName } from './icon.tsx';
import { useKeepFocus } from './keep-focus.ts';
import { Empty, Failure, Loading } from './notices.tsx';
import { Pager } from './pager.tsx';

interface Props<Item> {
  readonly address: Address;
  readonly result: UseQueryResult<ListPage<Item>>;
  /** The headings of the columns. */
  readonly columns: ReactNode;
  readonly label: string;
  /** Its columns are narrow: a row stays on one line, except on a phone. */
  readonly isSlim?: boolean;
  /** What stands in the place of an empty list. */
  readonly empty: ReactNode;
  readonly row: (item: Item) => ReactNode;
}

/** One page of a list as a table, in each of its states: loading, failing, empty, full. */
export function Listing<Item>({
  address,
  result,
  columns,
  label,
  isSlim,
  empty,
  row,
}: Props<Item>) {
  const { data: page, error, refetch, isPlaceholderData } = result;
  const keeper = useKeepFocus<HTMLDivElement>();
  const isLaterPage = address.query.has('cursor');
  return (
    <>
      {error && <Failure error={error} onRetry={refetch} />}
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
          {page?.data.length === 0 &&
            (isLaterPage && page.nextCursor === undefined ? <EmptyPage /> : empty)}
          {page !== undefined && page.data.length > 0 && (
            <table className={isSlim ? 'list slim' : 'list'} aria-label={label}>
              <thead>
                <tr>{columns}</tr>
              </thead>
              <tbody>{page.data.map(row)}</tbody>
            </table>
          )}
        </div>
      )}
      {page !== undefined && (isLaterPage || page.nextCursor !== undefined) && (
        <p className="on-paper">{TEXTS.common.onePage(page.data.length)}</p>
      )}
      <p className="visually-hidden" role="status">
        {page !== undefined &&
          !isPlaceholderData &&
          TEXTS.common.entries(page.data.length, pageOf(address))}
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

interface InvalidFilterProps {
  readonly icon: IconName;
  /** Clears the filters. */
  readonly link: string;
}

/** Stands in the place of a list whose address contains a filter that is not valid. */
export const InvalidFilter = ({ icon, link }: InvalidFilterProps) => (
  <div className="card">
    <Empty icon={icon} title={TEXTS.common.filterFault} hint={TEXTS.common.filterFaultHint}>
      <a href={link}>{TEXTS.common.clear}</a>
    </Empty>
  </div>
);
