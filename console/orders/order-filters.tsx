import { useState } from 'react';
import { goTo, linkTo } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { optionalInt64Fault } from '../int64.ts';
import { Choices, Fault, TextField } from '../parts/field.tsx';
import { FoldedFilters } from '../parts/folded-filters.tsx';
import { SearchField } from '../parts/search-field.tsx';
import type { Search } from '../search.ts';
import { TEXTS } from '../texts.ts';
import {
  DAYS,
  dayAt,
  dayOf,
  type OrderFilters as Filters,
  isDayFault,
  statusesOf,
  statusText,
} from './order-query.ts';
import { ORDER_STATUSES } from './order-status.tsx';

interface Props {
  readonly filters: Filters;
  readonly search: Search;
}

/** The days before today with which a range begins. */
const RANGE_DAYS = 7;

/** The filters of the orders. Without one, the list contains the open orders. */
export function OrderFilters({ filters, search }: Props) {
  const texts = TEXTS.orders;
  const statuses = statusesOf(filters);
  const chosen: readonly string[] = statuses ?? [];
  const day = dayOf(filters);
  const animalFault = optionalInt64Fault(filters.animal);
  const isFaultyRange = day === 'range' && [filters.from, filters.to].some(isDayFault);
  const go = (change: Partial<Filters>) =>
    goTo(linkTo('orders', { ...filters, find: search.term, ...change }));
  const toggle = (value: string) =>
    go({
      status: statusText(
        ORDER_STATUSES.filter((status) => (status === value) !== chosen.includes(status)),
      ),
    });
  const chooseDay = (value: string) => {
    const isRange = value === 'range';
    const [from, to] = isRange ? [dayAt(serviceNow(), -RANGE_DAYS), dayAt(serviceNow())] : ['', ''];
    go({ day: isRange ? '' : value, from, to, ...(value === '' && { by: '' }) });
  };
  return (
    <div className="filters">
      <SearchField search={search} hint={texts.findHint} />
      <FoldedFilters
        active={[filters.status, day].filter((value) => value !== '').length}
        isFaulty={statuses === undefined || isFaultyRange}
      >
        <Choices
          legend={TEXTS.orderStatus.placed}
          choices={DAYS.map((value) => ({ value, label: texts.days[value] }))}
          chosen={[day]}
          onChoose={chooseDay}
        />
        {day !== '' && (
          <Choices
            legend={texts.by}
            choices={(['', 'delivered'] as const).map((value) => ({
              value,
              label: TEXTS.orderStatus[value || 'placed'],
            }))}
            chosen={[filters.by]}
            onChoose={(by) => go({ by })}
          />
        )}
        {day === 'range' &&
          (['from', 'to'] as const).map((name) => (
            <DayField
              key={name}
              label={texts[name]}
              day={filters[name]}
              onDay={(chosen) => go({ day: '', [name]: chosen })}
            />
          ))}
        <Choices
          legend={TEXTS.common.status}
          several
          choices={ORDER_STATUSES.map((value) => ({ value, label: TEXTS.orderStatus[value] }))}
          chosen={chosen}
          onChoose={toggle}
          fault={statuses === undefined ? TEXTS.common.unknownStatus : undefined}
        />
      </FoldedFilters>
      {filters.animal !== '' && (
        <div className="field">
          <p>
            {texts.ofAnimal(filters.animal)}{' '}
            <a href={linkTo('orders', { ...filters, animal: '' })}>{texts.ofAll}</a>
          </p>
          <Fault>{animalFault}</Fault>
        </div>
      )}
    </div>
  );
}

interface DayProps {
  readonly label: string;
  readonly day: string;
  readonly onDay: (day: string) => void;
}

/** A day that the list follows. While it is typed, it is no day, or its year is one of antiquity. */
function DayField({ label, day, onDay }: DayProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <TextField
      type="date"
      label={label}
      value={typed ?? day}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (value !== '' && !isDayFault(value)) onDay(value);
      }}
      onBlur={() => {
        if (typed === '') onDay('');
        setTyped(undefined);
      }}
      fault={isDayFault(day) ? TEXTS.orders.dayFault : undefined}
    />
  );
}
