import { useQuery } from '@tanstack/react-query';
import type { Order } from '../../sdk/src/index.ts';
import { serviceNow } from '../clock.ts';
import { firstPage } from '../first-page.ts';
import { dayAt } from '../orders/order-query.ts';
import { reading } from '../reading.ts';
import { useSession } from '../session.tsx';

const DAYS = 30;
/** The rows of the short lists. */
const SHOWN = 5;
/** Two of them may be one line. */
const LAST_EVENTS = 16;

/** A day can begin without a change. */
const REFRESH_MS = 300_000;

/** The orders that are open, and what happened to orders on the last days by the clock of the browser. */
export function useSummary() {
  const { store, may } = useSession();
  const { timeZone = 'UTC' } = Intl.DateTimeFormat().resolvedOptions();
  return useQuery({
    queryKey: ['summary', timeZone],
    queryFn: async ({ signal }) => {
      const options = reading(signal);
      const [summary, expireToday] = await Promise.all([
        store.orders.summary({ days: DAYS, timeZone }, options),
        countExpiringToday(store.orders.list(BY_EXPIRY, options)),
      ]);
      return { ...summary, expireToday };
    },
    enabled: may('orders:read'),
    refetchInterval: REFRESH_MS,
  });
}

/** The holds that end first. */
const BY_EXPIRY = { sort: 'expiresAt', limit: 100 } as const;

/** How many holds end before tomorrow. The summary has only the first ten holds. */
async function countExpiringToday(holds: AsyncIterable<Order<string>>): Promise<number> {
  const today = dayAt(serviceNow());
  let count = 0;
  for await (const { expiresAt = '' } of holds) {
    if (dayAt(Date.parse(expiresAt)) > today) break;
    count += 1;
  }
  return count;
}

/** The animals for sale that were added first. */
export function useWaiting() {
  const { store } = useSession();
  return useQuery({
    queryKey: ['waiting'],
    queryFn: ({ signal }) =>
      firstPage(
        store.pets.list({ status: 'available', sort: 'id', limit: SHOWN }, reading(signal)),
      ),
  });
}

/** The last changes of all. */
export function useLastEvents() {
  const { store } = useSession();
  return useQuery({
    queryKey: ['events'],
    queryFn: ({ signal }) =>
      firstPage(store.events.list({ sort: '-id', limit: LAST_EVENTS }, reading(signal))),
  });
}

/** Whether the store has no animals. Undefined if that is not known. */
export function useIsEmpty(): boolean | undefined {
  const { store, may } = useSession();
  const { data } = useQuery({
    queryKey: ['is-empty'],
    queryFn: async ({ signal }) =>
      (await firstPage(store.pets.list({ limit: 1 }, reading(signal)))).data.length === 0,
    enabled: may('pets:read'),
  });
  return data;
}

/** The categories whose stock is compared: three pages of the service. */
const MAX_COUNTED = 300;

/** How many animals of each status all categories together have, if the API key may know, and each of the first categories. */
export function useStock() {
  const { store, may } = useSession();
  return useQuery({
    queryKey: ['stock'],
    queryFn: async ({ signal }) => {
      const options = reading(signal);
      const [all, categories] = await Promise.all([
        may('orders:read') ? store.inventory.get({}, options) : undefined,
        store.categories.list({ limit: 100 }, options).toArray({ limit: MAX_COUNTED }),
      ]);
      return { all, categories };
    },
  });
}
