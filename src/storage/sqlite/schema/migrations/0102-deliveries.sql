-- When an order was delivered, and its reference and note as searches compare them. The service folds the texts, also those of this migration.
ALTER TABLE orders ADD COLUMN delivered_at INTEGER;
ALTER TABLE orders ADD COLUMN folded_texts TEXT NOT NULL DEFAULT '';
-- When an order was delivered that was returned later is not known.
UPDATE orders SET delivered_at = ended_at WHERE status = 'delivered';

-- Lists are by status, time and id. The index ends in the rowid, which is the id.
CREATE INDEX orders_by_delivery ON orders (status, delivered_at) WHERE delivered_at IS NOT NULL;
-- The summary counts the ends of each day by status.
DROP INDEX orders_by_end;
CREATE INDEX orders_by_end ON orders (ended_at, status) WHERE ended_at IS NOT NULL;
