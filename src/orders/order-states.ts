import type { PetStatus } from '../pets/pet.ts';

/** What a status of an order means, and where it leads. */
interface State {
  readonly meaning: string;
  /** An order can be placed with this status. */
  readonly isFirst?: true;
  /** The order holds its animal: no other order is possible. */
  readonly isOpen?: true;
  /** The status that the animal gets with this one. */
  readonly animal: PetStatus;
  /** The animal gets its status only if it is sold, and no later order of it is open or delivered. */
  readonly onlyLastSale?: true;
  /** The statuses that a client can set after this one. */
  readonly next: readonly string[];
  /** The status that the service sets when the hold is over. Without it, the hold has no end. */
  readonly afterHold?: string;
}

/**
 * The life of an order. Checks of changes, the status of the animal, the OpenAPI document and messages follow from this table.
 * So do the SQL of open orders and the picture in docs/integrate.md.
 */
const STATES = {
  placed: {
    meaning: 'Holds its animal for a time.',
    isFirst: true,
    isOpen: true,
    animal: 'pending',
    next: ['approved', 'delivered', 'cancelled'],
    afterHold: 'expired',
  },
  approved: {
    meaning: 'Holds its animal until it is delivered or cancelled.',
    isFirst: true,
    isOpen: true,
    animal: 'pending',
    next: ['delivered', 'cancelled'],
  },
  delivered: {
    meaning: 'The animal is sold.',
    isFirst: true,
    animal: 'sold',
    next: ['returned'],
  },
  cancelled: { meaning: 'Ended without a sale.', animal: 'available', next: [] },
  expired: { meaning: 'Was not approved in time.', animal: 'available', next: [] },
  returned: {
    meaning: 'The sale was undone.',
    animal: 'available',
    onlyLastSale: true,
    next: [],
  },
} as const satisfies Readonly<Record<string, State>>;

export type OrderStatus = keyof typeof STATES;

/** A `next` that is no status does not compile here. */
interface OrderState extends State {
  readonly next: readonly OrderStatus[];
  readonly afterHold?: OrderStatus;
}

export const ORDER_STATES: Readonly<Record<OrderStatus, OrderState>> = STATES;

type Words = readonly [OrderStatus, ...OrderStatus[]];

export const ORDER_STATUSES = Object.keys(ORDER_STATES) as unknown as Words;

const statusesThat = (has: (state: OrderState) => unknown): Words =>
  ORDER_STATUSES.filter((status) => has(ORDER_STATES[status])) as unknown as Words;

/** The statuses with which an order can be placed. The first one is the default. */
export const FIRST_STATUSES = statusesThat(({ isFirst }) => isFirst);

export const OPEN_STATUSES = statusesThat(({ isOpen }) => isOpen);

/** The statuses of orders whose animal may not be sold again by the return of an earlier order. */
export const SALE_STATUSES = statusesThat(({ isOpen, animal }) => isOpen || animal === 'sold');

/** The statuses of orders that were delivered, whether the animal came back or not. */
export const DELIVERED_STATUSES: readonly OrderStatus[] = ['delivered', 'returned'];

/** The times that an order gets with a status. A delivery is the end of an order, until the return. */
export const timesOf = (status: OrderStatus, now: string) => ({
  ...(ORDER_STATES[status].animal === 'sold' && { deliveredAt: now }),
  ...(!ORDER_STATES[status].isOpen && { endedAt: now }),
});

/** Why an order cannot change its status; undefined if it can. */
export function transitionProblem(from: OrderStatus, to: OrderStatus): string | undefined {
  const { next } = ORDER_STATES[from];
  if (next.includes(to)) return undefined;
  return `The order is ${from}, and cannot become ${to}: ${nextSentence(from)}`;
}

/** Such as `it can become delivered or cancelled.` */
function nextSentence(status: OrderStatus): string {
  const { next } = ORDER_STATES[status];
  return next.length === 0 ? 'this status is final.' : `it can become ${anyOf(next)}.`;
}

/** Such as `a, b or c`. */
export const anyOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** All changes of the status that a client can make, as sentences. */
export const TRANSITIONS_TEXT: string = ORDER_STATUSES.filter(
  (status) => ORDER_STATES[status].next.length > 0,
)
  .map((status) => {
    const which = `${/^[aeiou]/.test(status) ? 'An' : 'A'} ${status} order`;
    return `${which} can become ${anyOf(ORDER_STATES[status].next)}.`;
  })
  .join(' ');

/** The statuses by what happens to the animal, as sentences. */
export const EFFECTS_TEXT: string = Object.entries(
  Object.groupBy(ORDER_STATUSES, (status) => ORDER_STATES[status].animal),
)
  .map(([animal, statuses]) => `${anyOf(statuses)} makes the animal ${animal}`)
  .join('; ')
  .replace(/^./, (first) => first.toUpperCase())
  .concat('.');

/** The picture of all changes, in the language of Mermaid. */
export function drawOrderStates(): string {
  const lines = FIRST_STATUSES.map((status) => `[*] --> ${status}: POST`);
  for (const status of ORDER_STATUSES) {
    const { next, afterHold } = ORDER_STATES[status];
    for (const to of next) lines.push(`${status} --> ${to}: PATCH`);
    if (afterHold !== undefined) lines.push(`${status} --> ${afterHold}: not approved in time`);
  }
  return `stateDiagram-v2\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Rows of the table of statuses: status, meaning, status of the animal, next statuses. */
export const describeOrderStates = (): string[][] =>
  ORDER_STATUSES.map((status) => {
    const { meaning, animal, onlyLastSale, next, afterHold } = ORDER_STATES[status];
    const unlessSoldAgain = onlyLastSale ? ', unless it was sold again' : '';
    return [
      `\`${status}\``,
      meaning,
      `\`${animal}\`${unlessSoldAgain}`,
      [...next, ...(afterHold ? [afterHold] : [])].map((name) => `\`${name}\``).join(', ') ||
        'none',
    ];
  });
