import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Address, linkTo, pageOf } from '../address.ts';
import type { ListPage } from '../first-page.ts';
import { TEXTS } from '../texts.ts';
import { useKeepFocus } from './keep-focus.ts';
import { Empty, Failure, Loading } from './notices.tsx';
import { Pager } from './pager.tsx';
import { type Column, Table } from './table.tsx';

interface Props<Item> {
  readonly screen: 'animals' | 'orders' | 'categories' | 'keys' | 'webhooks';
  readonly address: Address;
  readonly isValid?: boolean;
  readonly result: UseQueryResult<ListPage<Item>>;
  readonly columns: readonly Column<Item>[];
  readonly isSlim?: boolean;
  readonly onOpen?: (item: Item) => void;
  readonly empty: ReactNode;
}

/** One page of a list as a table, in each of its states: loading, failing, empty, full. */
export function Listing<Item extends { readonly id: string }>(props: Props<Item>) {
  const { screen, address, isValid = true, result, empty, ...table } = props;
  const { data: page, error, refetch, isPlaceholderData } = result;
  const keeper = useKeepFocus<HTMLDivElement>();
  const isLaterPage = address.query.has('cursor');
  const label = TEXTS.navigation[screen];
  const texts = TEXTS.common;
  if (!isValid)
    return (
      <div className="card">
        <Empty icon={screen} title={texts.filterFault} hint={texts.filterFaultHint}>
          <a href={linkTo(screen)}>{texts.clear}</a>
        </Empty>
      </div>
    );
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
            (isLaterPage && page.nextCursor === undefined ? (
              // The animals of a later page may be deleted while the user is on it.
              <Empty icon="previous" title={texts.pageEmpty} hint={texts.pageEmptyHint} />
            ) : (
              empty
            ))}
          {page !== undefined && page.data.length > 0 && (
            <Table {...table} label={label} items={page.data} keyOf={({ id }) => id} />
          )}
        </div>
      )}
      {page !== undefined && (isLaterPage || page.nextCursor !== undefined) && (
        <p className="on-paper">{texts.onePage(page.data.length)}</p>
      )}
      <p className="visually-hidden" role="status">
        {page !== undefined &&
          !isPlaceholderData &&
          texts.entries(page.data.length, texts.page(pageOf(address)))}
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
