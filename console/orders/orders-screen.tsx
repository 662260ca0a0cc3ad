import { useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { type Address, linkTo, useAddress } from '../address.ts';
import { formatLately, formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column, SortColumn } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Name } from '../parts/named.tsx';
import { Empty, Failure } from '../parts/notices.tsx';
import { Row } from '../parts/row.tsx';
import { useSearch } from '../search.ts';
import { TEXTS } from '../texts.ts';
import { OrdersDownload } from '../transfer/orders-download.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderFilters } from './order-filters.tsx';
import {
  type OrderFilters as Filters,
  filtersIn,
  type OrderQuery,
  queryOf,
} from './order-query.ts';
import { OrderState } from './order-status.tsx';
import { OrderedAnimal } from './ordered-animal.tsx';
import { useChangeOrder, useOrders } from './queries.ts';
import { type Shown, ShownDialog } from './shown.tsx';

export function OrdersScreen() {
  const address = useAddress();
  const filters = filtersIn(address.query);
  const query = queryOf(filters, address.query.get('cursor') ?? '');
  const orders = useOrders(query);
  const names = orders.data?.names;
  const change = useChangeOrder();
  const [shown, setShown] = useState<Shown>();
  const search = useSearch({
    name: filters.find,
    isLoaded: orders.data !== undefined && !orders.isPlaceholderData,
    // A person who looks for one order does not know when it was placed, nor its status.
    linkOf: (find) => linkTo('orders', { find }),
  });
  const show = (what: Shown) => {
    search.settle();
    setShown(what);
  };
  const texts = TEXTS.orders;

  return (
    <>
      <Heading title={texts.title} introduction="">
        {query && (
          <div className="actions">
            <OrdersDownload query={query} />
          </div>
        )}
      </Heading>
      <OrderFilters filters={filters} search={search} />
      {change.error && <Failure error={change.error} />}
      {query === undefined ? (
        <InvalidFilter icon="orders" link={linkTo('orders')} />
      ) : (
        <Listing
          address={address}
          result={orders}
          label={texts.title}
          columns={<Columns address={address} query={query} />}
          empty={<NoOrders filters={filters} />}
          row={(order) => (
            <OrderRow
              key={order.id}
              order={order}
              petName={names?.get(order.petId) ?? (names && null)}
              change={change}
              isByDelivery={query.isByDelivery}
              onShow={show}
            />
          )}
        />
      )}
      <ShownDialog shown={shown} onShow={setShown} />
    </>
  );
}

interface RowProps {
  readonly order: Order<string>;
  readonly petName: string | null | undefined;
  readonly change: ReturnType<typeof useChangeOrder>;
  readonly isByDelivery: boolean;
  readonly onShow: (what: Shown) => void;
}

function OrderRow({ order, petName, change, isByDelivery, onShow }: RowProps) {
  const { id, petId, reference, createdAt, deliveredAt } = order;
  const at = isByDelivery && deliveredAt ? deliveredAt : createdAt;
  const texts = TEXTS.orders;
  return (
    <Row onOpen={() => onShow({ orderId: id })}>
      <td className="number title" data-label={texts.order}>
        <Button look="link" aria-label={texts.open(id)} onClick={() => onShow({ orderId: id })}>
          {id}
        </Button>
      </td>
      <td data-label={texts.animal} data-wide>
        <OrderedAnimal id={petId} name={petName} onOpen={() => onShow({ petId })} />
      </td>
      <td className="wide" data-label={texts.reference} data-wide>
        {reference && <Name>{reference}</Name>}
      </td>
      <td className="line status">
        <OrderState order={order} />
      </td>
      <td className="time number" data-wide data-label={timeLabel(isByDelivery)}>
        <time dateTime={at} title={formatTime(at)}>
          {formatLately(at)}
        </time>
      </td>
      <td className="end" data-wide>
        <OrderActions order={order} change={change} isInRow />
      </td>
    </Row>
  );
}

interface ColumnsProps {
  readonly address: Address;
  readonly query: OrderQuery;
}

function Columns({ address, query }: ColumnsProps) {
  const texts = TEXTS.orders;
  return (
    <>
      <SortColumn address={address} sort="id" order="ascending" usual="descending">
        {texts.order}
      </SortColumn>
      <Column>{texts.animal}</Column>
      <Column>{texts.reference}</Column>
      {String(query.status) === 'placed' ? (
        <SortColumn address={address} sort="expiresAt" order="ascending">
          {texts.timeLeft}
        </SortColumn>
      ) : (
        <Column>{texts.status}</Column>
      )}
      <Column>{timeLabel(query.isByDelivery)}</Column>
      <Column end>
        <span className="visually-hidden">{TEXTS.common.actions}</span>
      </Column>
    </>
  );
}

/** Which time of an order the list shows. */
const timeLabel = (isByDelivery: boolean): string =>
  TEXTS.orderStatus[isByDelivery ? 'delivered' : 'placed'];

/** The way to an animal that can be reserved. */
const ReserveLink = () => (
  <a className="button" href={linkTo('animals', { status: 'available' })}>
    {TEXTS.orders.reserve}
  </a>
);

/** Why the list is empty, and the way to a longer one. */
function NoOrders({ filters }: { readonly filters: Filters }) {
  const texts = TEXTS.orders;
  const { status, ...others } = filters;
  const isOnlyStatus = Object.values(others).every((value) => value === '');
  if (isOnlyStatus && (status === '' || status === 'open')) {
    return (
      <Empty icon="orders" title={texts.noneOpen} hint={texts.noneOpenHint}>
        <ReserveLink />
        <a href={linkTo('orders', { status: 'all' })}>{texts.showAll}</a>
      </Empty>
    );
  }
  if (isOnlyStatus && status === 'all') {
    return (
      <Empty icon="orders" title={texts.none} hint={texts.noneHint}>
        <ReserveLink />
      </Empty>
    );
  }
  return (
    <Empty
      icon="orders"
      title={texts.noneFound}
      hint={filters.find === '' ? TEXTS.common.noneFoundHint : texts.noneFoundHint}
    >
      <a href={linkTo('orders')}>{TEXTS.common.clear}</a>
    </Empty>
  );
}
