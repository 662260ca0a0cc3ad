import { useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { linkTo, useAddress } from '../address.ts';
import { formatLately, formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name } from '../parts/named.tsx';
import { Empty, Failure } from '../parts/notices.tsx';
import type { Column } from '../parts/table.tsx';
import { useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { Download } from '../transfer/download.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderFilters } from './order-filters.tsx';
import { type OrderFilters as Filters, filtersIn, haveEnds, queryOf } from './order-query.ts';
import { OrderState } from './order-status.tsx';
import { OrderedAnimal } from './ordered-animal.tsx';
import { orderPages, useChangeOrder, useOrders } from './queries.ts';
import { ReturnOrder } from './return-order.tsx';
import { type Shown, ShownDialog } from './shown.tsx';

export function OrdersScreen() {
  const { store } = useSession();
  const address = useAddress();
  const filters = filtersIn(address.query);
  const query = queryOf(filters, address.query.get('cursor') ?? '');
  const orders = useOrders(query);
  const names = orders.data?.names;
  const change = useChangeOrder();
  const [shown, setShown] = useState<Shown>();
  const [returned, setReturned] = useState<Order<string>>();
  const search = useSearch({
    name: filters.find,
    result: orders,
    // A person who looks for one order does not know when it was placed, nor its status.
    linkOf: (find) => linkTo('orders', { find }),
  });
  const show = (what: Shown) => {
    search.settle();
    setShown(what);
  };
  const texts = TEXTS.orders;
  const { isByDelivery = false, status = [] } = query ?? {};
  const columns: readonly Column<Order<string>>[] = [
    {
      title: texts.order,
      look: 'number title',
      isLabelled: true,
      sort: { by: 'id', isOpposite: true },
      cell: ({ id }) => (
        <Button look="link" aria-label={texts.open(id)} onClick={() => show({ orderId: id })}>
          {id}
        </Button>
      ),
    },
    {
      title: TEXTS.common.animal,
      isLine: true,
      isLabelled: true,
      cell: ({ petId }) => (
        <OrderedAnimal
          id={petId}
          name={names?.get(petId) ?? (names && null)}
          onOpen={() => show({ petId })}
        />
      ),
    },
    {
      title: TEXTS.common.reference,
      look: 'wide',
      isLine: true,
      isLabelled: true,
      cell: ({ reference }) => reference && <Name>{reference}</Name>,
    },
    {
      look: 'line status',
      ...(String(status) === 'placed'
        ? {
            title: texts.timeLeft,
            ...(query && haveEnds(query) && { sort: { by: 'expiresAt' } }),
          }
        : { title: TEXTS.common.status }),
      cell: (order) => <OrderState order={order} />,
    },
    {
      title: TEXTS.orderStatus[isByDelivery ? 'delivered' : 'placed'],
      look: 'time number',
      isLine: true,
      isLabelled: true,
      cell: ({ createdAt, deliveredAt }) => {
        const at = (isByDelivery && deliveredAt) || createdAt;
        return (
          <time dateTime={at} title={formatTime(at)}>
            {formatLately(at)}
          </time>
        );
      },
    },
    {
      end: true,
      isLine: true,
      cell: (order) => (
        <OrderActions order={order} change={change} isInRow onReturn={() => setReturned(order)} />
      ),
    },
  ];

  return (
    <>
      <Heading title={TEXTS.navigation.orders}>
        {query && (
          <div className="actions">
            <Download
              name="orders"
              columns={['id', 'petId', 'status', 'createdAt', 'expiresAt', 'reference', 'note']}
              pages={(signal) => orderPages(store, query, signal)}
            />
          </div>
        )}
      </Heading>
      <OrderFilters filters={filters} search={search} />
      {change.error && <Failure error={change.error} />}
      <Listing
        screen="orders"
        address={address}
        isValid={query !== undefined}
        result={orders}
        columns={columns}
        onOpen={({ id }) => show({ orderId: id })}
        empty={<NoOrders filters={filters} />}
      />
      <ShownDialog shown={shown} onShow={setShown} />
      {returned && <ReturnOrder order={returned} onClose={() => setReturned(undefined)} />}
    </>
  );
}

/** Why the list is empty, and the way to a longer one. */
function NoOrders({ filters }: { readonly filters: Filters }) {
  const texts = TEXTS.orders;
  const { status, ...others } = filters;
  const isOnlyStatus = Object.values(others).every((value) => value === '');
  const isAll = status === 'all';
  if (isOnlyStatus && (isAll || status === '' || status === 'open')) {
    return (
      <Empty icon="orders" title={isAll ? texts.none : texts.noneOpen} hint={texts.noneHint}>
        <a className="button" href={linkTo('animals', { status: 'available' })}>
          {texts.reserve}
        </a>
        {!isAll && <a href={linkTo('orders', { status: 'all' })}>{texts.showAll}</a>}
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
