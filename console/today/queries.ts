import type { Order } from '../../sdk/src/index.ts';
import { serviceNow } from '../clock.ts';
import { firstPage } from '../first-page.ts';
import { dayAt } from '../orders/order-query.ts';
import { useRead } from '../reading.ts';
import { useSession } from '../session.tsx';

const DAYS = 30;
const SHOWN = 5;
/** Two of them may be one line. */
const LAST_EVENTS = 16;

/** What is counted by reading it: three pages of the service. */
export const MAX_COUNTED = 300;

/** The orders that are open, and what happened to orders on the last days by the clock of the browser. */
export function useSummary() {
  const { may } = useSession();
  const { timeZone = 'UTC' } = Intl.DateTimeFormat().resolvedOptions();
  return useRead(
    // A day can begin without a change.
    ['summary', dayAt(serviceNow())],
    async (store, options) => {
      const [summary, expireToday] = await Promise.all([
        store.orders.summary({ days: DAYS, timeZone }, options),
        countExpiringToday(store.orders.list(BY_EXPIRY, options)),
      ]);
      return { ...summary, expireToday };
    },
    { enabled: may('orders:read') },
  );
}

const BY_EXPIRY = { sort: 'expiresAt', limit: 100 } as const;

/** How many holds end before tomorrow, of the next ones to end. The summary has only the first ten holds. */
async function countExpiringToday(holds: AsyncIterable<Order<string>>): Promise<number> {
  const today = dayAt(serviceNow());
  let count = 0;
  for await (const { expiresAt = '' } of holds) {
    if (count === MAX_COUNTED || dayAt(Date.parse(expiresAt)) > today) break;
    count += 1;
  }
  return count;
}

/** The animals for sale that were added first. */
export const useWaiting = () =>
  useRead(['waiting'], (store, options) =>
    firstPage(store.pets.list({ status: 'available', sort: 'id', limit: SHOWN }, options)),
  );

export const useLastEvents = () =>
  useRead(['events'], (store, options) =>
    firstPage(store.events.list({ sort: '-id', limit: LAST_EVENTS }, options)),
  );

/** Whether the store has no animals. Undefined if that is not known. */
export function useIsEmpty(): boolean | undefined {
  const { may } = useSession();
  return useRead(
    ['is-empty'],
    async (store, options) =>
      (await firstPage(store.pets.list({ limit: 1 }, options))).data.length === 0,
    { enabled: may('pets:read') },
  ).data;
}

/** How many animals of each status all categories have, if the API key may know. Then the same for each of the first categories. */
export function useStock() {
  const { may } = useSession();
  return useRead(['stock'], async (store, options) => {
    const [all, categories] = await Promise.all([
      may('orders:read') ? store.inventory.get({}, options) : undefined,
      store.categories.list({ limit: 100 }, options).toArray({ limit: MAX_COUNTED }),
    ]);
    return { all, categories };
  });
}
