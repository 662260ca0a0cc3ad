import { type FormEvent, useEffect, useState } from 'react';
import { goTo, linkTo } from '../address.ts';
import { optionalInt64, optionalInt64Fault } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { Choices, TextField } from '../parts/field.tsx';
import { TEXTS } from '../texts.ts';
import { ORDER_STATUSES } from './order-status.tsx';

interface Props {
  /** As they are in the address, valid or not. */
  readonly status: string;
  readonly petId: string;
  readonly statusFault: string | undefined;
}

/** The filters of the orders. Without one, the list contains the open orders. */
export function OrderFilters({ status, petId, statusFault }: Props) {
  const [animal, setAnimal] = useState(petId);
  const [isChecked, setIsChecked] = useState(true);
  // The browser's own back and forward also change the address.
  useEffect(() => {
    setAnimal(petId);
    setIsChecked(true);
  }, [petId]);
  const id = optionalInt64(animal);
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
          { value: '', label: TEXTS.orders.open },
          ...ORDER_STATUSES.map((value) => ({ value, label: TEXTS.orderStatus[value] })),
          { value: 'all', label: TEXTS.common.all },
        ]}
        chosen={[status]}
        onChoose={(value) => goTo(linkTo('orders', { status: value, animal: petId }))}
        fault={statusFault}
      />
      <TextField
        label={TEXTS.orders.animalId}
        inputMode="numeric"
        value={animal}
        onChange={(event) => {
          setAnimal(event.target.value);
          setIsChecked(false);
        }}
        fault={isChecked ? optionalInt64Fault(animal) : undefined}
      />
      <Button type="submit">{TEXTS.common.search}</Button>
    </form>
  );
}
