import type { Order } from '../../sdk/src/index.ts';
import type { OrderQuery } from '../orders/order-query.ts';
import { orderPages } from '../orders/queries.ts';
import { useSession } from '../session.tsx';
import { Download } from './download.tsx';
import type { FileColumn } from './list-file.ts';

const COLUMNS: readonly FileColumn<Order<string>>[] = [
  { name: 'id', text: ({ id }) => id },
  { name: 'petId', text: ({ petId }) => petId },
  { name: 'status', text: ({ status }) => status },
  { name: 'createdAt', text: ({ createdAt }) => createdAt },
  { name: 'expiresAt', text: ({ expiresAt }) => expiresAt },
  { name: 'reference', text: ({ reference }) => reference, isFree: true },
  { name: 'note', text: ({ note }) => note, isFree: true },
];

/** Saves the orders of the list. */
export function OrdersDownload({ query }: { readonly query: OrderQuery }) {
  const { store } = useSession();
  return (
    <Download
      name="orders"
      columns={COLUMNS}
      pages={(signal) => orderPages(store, query, signal)}
    />
  );
}
