import type { OrderStatus } from '../../sdk/src/index.ts';
import { sortIn } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { optionalInt64 } from '../int64.ts';
import { searchTerm } from '../search.ts';
import { ORDER_STATUSES } from './order-status.tsx';

/** The statuses of orders that need a step. */
const OPEN_STATUSES: readonly OrderStatus[] = ['placed', 'approved'];

export const DAYS = ['', 'today', 'yesterday', 'range'] as const;

/** The filters of the orders as they are in the address, valid or not. */
export interface OrderFilters {
  /** Statuses with spaces between them, `all`, or empty for what `statusesOf` chooses. */
  readonly status: string;
  readonly animal: string;
  readonly day: string;
  /** `delivered` if the days are the days of the hand-over. */
  readonly by: string;
  /** The first and the last day of a range, such as `2027-01-31`. */
  readonly from: string;
  readonly to: string;
  /** The number of an order, or a part of its reference or note. */
  readonly find: string;
  readonly sort: Sort | '';
}

/** How the list can be sorted. The newest order is usually first. Otherwise, the oldest order or the hold that ends next is. */
const SORTS = ['id', 'expiresAt'] as const;

type Sort = (typeof SORTS)[number];

export interface OrderQuery {
  /** None: all of them. */
  readonly status: readonly OrderStatus[];
  readonly petId: string;
  /** The times are the times of the hand-over, not of the order. */
  readonly isByDelivery: boolean;
  /** From this time on, and before this time (RFC 3339). Empty: no bound. */
  readonly after: string;
  readonly before: string;
  readonly find: string;
  readonly sort: Sort | '';
  readonly cursor: string;
}

export function filtersIn(query: URLSearchParams): OrderFilters {
  const text = (name: string) => query.get(name) ?? '';
  return {
    status: text('status'),
    animal: text('animal'),
    day: text('day'),
    by: text('by'),
    from: text('from'),
    to: text('to'),
    find: searchTerm(text('find')),
    sort: sortIn(query, SORTS),
  };
}

/** The statuses that an address means: the open ones, unless it asks for more. Undefined if one does not exist. */
export function statusesOf(filters: OrderFilters): readonly OrderStatus[] | undefined {
  const { status } = filters;
  if (status === 'all') return [];
  if (status === 'open' || (status === '' && !isWide(filters))) return OPEN_STATUSES;
  const named = status.split(' ').filter(Boolean);
  const known = ORDER_STATUSES.filter((one) => named.includes(one));
  return known.length === new Set(named).size ? known : undefined;
}

/** True if the address names orders by more than their status. A person who looks for one does not know its status. */
const isWide = ({ animal, day, from, to, find }: OrderFilters): boolean =>
  [animal, day, from, to, find].some((value) => value !== '');

export const statusText = (statuses: readonly string[]): string =>
  statuses.length === 0 ? 'all' : statuses.join(' ');

export function dayOf({ day, from, to }: OrderFilters): (typeof DAYS)[number] {
  const known = DAYS.find((one) => one === day);
  return known || (from !== '' || to !== '' ? 'range' : '');
}

const DAY = /^(?:19|20)\d\d-\d\d-\d\d$/;

/** The beginning of a day in the time zone of the browser, some days later. Undefined if there is no such day. */
function startOf(day: string, daysLater = 0): string | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + daysLater);
  const isDay = DAY.test(day) && new Date(year, month - 1, date).getDate() === date;
  return isDay ? start.toISOString() : undefined;
}

/** The day of a time in the time zone of the browser, as fields for dates write it. */
export function dayAt(ms: number, daysLater = 0): string {
  const at = new Date(ms);
  const local = new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate() + daysLater));
  return local.toISOString().slice(0, 10);
}

export const isDayFault = (day: string): boolean => day !== '' && startOf(day) === undefined;

/** The first and the last day that an address means. Empty: no bound. */
function daysOf(filters: OrderFilters): readonly [from: string, to: string] {
  const day = dayOf(filters);
  if (day === 'range') return [filters.from, filters.to];
  if (day === '') return ['', ''];
  const chosen = dayAt(serviceNow(), day === 'today' ? 0 : -1);
  return [chosen, chosen];
}

/** Whether orders can be sorted by the end of their hold. Only placed ones have one, and the service sorts those of some days by their time. */
export const haveEnds = ({
  status,
  after,
  before,
}: Pick<OrderQuery, 'status' | 'after' | 'before'>): boolean =>
  String(status) === 'placed' && after === '' && before === '';

/** What to ask for, or undefined if a filter is not valid. */
export function queryOf(filters: OrderFilters, cursor: string): OrderQuery | undefined {
  const status = statusesOf(filters);
  const petId = optionalInt64(filters.animal);
  const [from, to] = daysOf(filters);
  if (status === undefined || petId === undefined || [from, to].some(isDayFault)) return undefined;
  const bounds = { after: startOf(from) ?? '', before: startOf(to, 1) ?? '' };
  return {
    status,
    petId,
    isByDelivery: filters.by === 'delivered',
    ...bounds,
    find: filters.find,
    sort: filters.sort === 'expiresAt' && !haveEnds({ status, ...bounds }) ? '' : filters.sort,
    cursor,
  };
}
