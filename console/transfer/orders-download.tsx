import type { OrderQuery } from '../orders/order-query.ts';
import { orderPages } from '../orders/queries.ts';
import { useSession } from '../session.tsx';
import { Download } from './download.tsx';

export function OrdersDownload({ query }: { readonly query: OrderQuery }) {
  const { store } = useSession();
  return (
    <Download
      name="orders"
      columns={['id', 'petId', 'status', 'createdAt', 'expiresAt', 'reference', 'note']}
      pages={(signal) => orderPages(store, query, signal)}
    />
  );
}
