import { useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { linkTo, useAddress } from '../address.ts';
import { AnimalDialog } from '../animals/animal-dialog.tsx';
import { formatNumber, formatTime } from '../format.ts';
import { optionalInt64 } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Name } from '../parts/named.tsx';
import { Empty, Failure } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderFilters } from './order-filters.tsx';
import { ORDER_STATUSES, OrderState } from './order-status.tsx';
import { MAX_OPEN, useChangeOrder, useOrders, usePetNames } from './queries.ts';

const FILTERS = ['open', 'all', ...ORDER_STATUSES] as const;

export function OrdersScreen() {
  const address = useAddress();
  const statusText = address.query.get('status') ?? '';
  const animalText = address.query.get('animal') ?? '';
  const status = FILTERS.find((known) => known === (statusText || 'open'));
  const petId = optionalInt64(animalText);
  const isValid = status !== undefined && petId !== undefined;
  const cursor = address.query.get('cursor') ?? '';
  const orders = useOrders(isValid ? { status, petId, cursor } : undefined);
  const nameOf = usePetNames(orders.data?.data ?? []);
  const change = useChangeOrder();
  const [openPetId, setOpenPetId] = useState<string>();
  const texts = TEXTS.orders;

  const row = (order: Order<string>) => (
    <tr className="row" key={order.id}>
      <td className="number title">{order.id}</td>
      <td className="wide" data-wide data-label={texts.animal}>
        <OrderedAnimal
          id={order.petId}
          name={nameOf(order.petId)}
          onOpen={() => setOpenPetId(order.petId)}
        />
      </td>
      <td className="line" data-wide>
        <OrderState order={order} />
      </td>
      <td className="time" data-wide data-label={texts.placedAt}>
        {formatTime(order.createdAt)}
      </td>
      <td className="end" data-wide>
        <OrderActions order={order} change={change} />
      </td>
    </tr>
  );

  return (
    <>
      <Heading title={texts.title} introduction={texts.introduction} />
      <OrderFilters
        status={statusText}
        petId={animalText}
        statusFault={status === undefined ? TEXTS.common.unknownStatus : undefined}
      />
      {change.error && <Failure error={change.error} />}
      {isValid && orders.data?.isCut && (
        <p className="notice waiting">{texts.many(formatNumber(MAX_OPEN))}</p>
      )}
      {isValid ? (
        <Listing
          address={address}
          result={orders}
          label={texts.title}
          columns={<Columns />}
          empty={<NoOrders status={petId === '' ? status : undefined} />}
          row={row}
        />
      ) : (
        <InvalidFilter icon="orders" link={linkTo('orders')} />
      )}
      {openPetId !== undefined && (
        <AnimalDialog id={openPetId} onClose={() => setOpenPetId(undefined)} />
      )}
    </>
  );
}

const Columns = () => (
  <>
    <Column>{TEXTS.orders.order}</Column>
    <Column>{TEXTS.orders.animal}</Column>
    <Column>{TEXTS.orders.status}</Column>
    <Column>{TEXTS.orders.placedAt}</Column>
    <Column end>
      <span className="visually-hidden">{TEXTS.common.actions}</span>
    </Column>
  </>
);

interface AnimalProps {
  readonly id: string;
  /** Undefined if it is not known, null if the animal is deleted. */
  readonly name: string | null | undefined;
  readonly onOpen: () => void;
}

function OrderedAnimal({ id, name, onOpen }: AnimalProps) {
  const { may } = useSession();
  if (name === null || !may('pets:read')) {
    return (
      <>
        <span className="number">{id}</span>{' '}
        {name === null && <span className="muted">({TEXTS.orders.animalGone})</span>}
      </>
    );
  }
  return (
    <>
      <Button look="link" aria-label={TEXTS.animals.open(name ?? id)} onClick={onOpen}>
        {name === undefined ? id : <Name>{name}</Name>}
      </Button>
      {name !== undefined && <span className="muted number"> {id}</span>}
    </>
  );
}

interface NoOrdersProps {
  /** The only filter, or undefined if there is another one. */
  readonly status: string | undefined;
}

function NoOrders({ status }: NoOrdersProps) {
  const texts = TEXTS.orders;
  if (status === 'open') {
    return (
      <Empty icon="orders" title={texts.noneOpen} hint={texts.noneOpenHint}>
        <a href={linkTo('orders', { status: 'all' })}>{texts.showAll}</a>
      </Empty>
    );
  }
  return status === 'all' ? (
    <Empty icon="orders" title={texts.none} hint={texts.noneHint} />
  ) : (
    <Empty icon="orders" title={texts.noneFound} hint={TEXTS.common.noneFoundHint}>
      <a href={linkTo('orders')}>{TEXTS.common.clear}</a>
    </Empty>
  );
}
