import { type FormEvent, useEffect, useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { goTo, linkTo, useAddress } from '../address.ts';
import { AnimalDialog } from '../animals/animal-dialog.tsx';
import { formatTime } from '../format.ts';
import { int64Text } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Choices, TextField } from '../parts/field.tsx';
import { Listing } from '../parts/listing.tsx';
import { Empty, Failure } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { OrderActions } from './order-actions.tsx';
import { ORDER_STATUSES, OrderState } from './order-status.tsx';
import { useChangeOrder, useOrders } from './queries.ts';

export function OrdersScreen() {
  const { may } = useSession();
  const address = useAddress();
  const status = address.query.get('status') ?? '';
  const petId = address.query.get('animal') ?? '';
  const orders = useOrders({ status, petId, cursor: address.query.get('cursor') ?? '' });
  const change = useChangeOrder();
  const [openPetId, setOpenPetId] = useState<string>();
  const texts = TEXTS.orders;
  const isFiltered = status !== '' || petId !== '';

  const row = (order: Order<string>) => (
    <tr className="row" key={order.id}>
      <td className="number title">{order.id}</td>
      <td className="number" data-label={texts.animal}>
        {may('pets:read') ? (
          <Button
            look="link"
            aria-label={TEXTS.animals.open(order.petId)}
            onClick={() => setOpenPetId(order.petId)}
          >
            {order.petId}
          </Button>
        ) : (
          order.petId
        )}
      </td>
      <td data-wide>
        <OrderState order={order} />
      </td>
      <td data-wide data-label={texts.placedAt}>
        {formatTime(order.createdAt)}
      </td>
      <td className="end" data-wide>
        <OrderActions order={order} change={change} />
      </td>
    </tr>
  );

  return (
    <>
      <div className="heading">
        <div>
          <h1>{texts.title}</h1>
          <p>{texts.introduction}</p>
        </div>
      </div>
      <OrderFilters status={status} petId={petId} />
      {change.error && <Failure error={change.error} />}
      <Listing
        address={address}
        result={orders}
        label={texts.title}
        columns={
          <>
            <Column>{texts.order}</Column>
            <Column>{texts.animal}</Column>
            <Column>{texts.status}</Column>
            <Column>{texts.placedAt}</Column>
            <Column end>
              <span className="visually-hidden">{TEXTS.common.actions}</span>
            </Column>
          </>
        }
        empty={
          isFiltered ? (
            <Empty icon="orders" title={texts.noneFound} hint={texts.noneFoundHint}>
              <a href={linkTo('orders')}>{TEXTS.common.clear}</a>
            </Empty>
          ) : (
            <Empty icon="orders" title={texts.none} hint={texts.noneHint} />
          )
        }
        row={row}
      />
      {openPetId !== undefined && (
        <AnimalDialog id={openPetId} onClose={() => setOpenPetId(undefined)} />
      )}
    </>
  );
}

function OrderFilters({ status, petId }: { readonly status: string; readonly petId: string }) {
  const [animal, setAnimal] = useState(petId);
  const [isChecked, setIsChecked] = useState(false);
  // The browser's own back and forward also change the address.
  useEffect(() => setAnimal(petId), [petId]);
  const id = animal.trim() === '' ? '' : int64Text(animal);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (id !== undefined) goTo(linkTo('orders', { status, animal: id }));
  };
  return (
    <form className="filters" onSubmit={submit} noValidate>
      <Choices
        legend={TEXTS.orders.status}
        hideLegend
        choices={[
          { value: '', label: TEXTS.common.all },
          ...ORDER_STATUSES.map((value) => ({ value, label: TEXTS.orderStatus[value] })),
        ]}
        chosen={[status]}
        onChoose={(value) => goTo(linkTo('orders', { status: value, animal: petId }))}
      />
      <TextField
        label={TEXTS.orders.animal}
        inputMode="numeric"
        value={animal}
        onChange={(event) => setAnimal(event.target.value)}
        fault={isChecked && id === undefined ? TEXTS.common.number : undefined}
      />
      <Button type="submit">{TEXTS.common.search}</Button>
    </form>
  );
}
