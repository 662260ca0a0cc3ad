-- When an order was delivered, and its reference and note as searches compare them. The service folds the texts, also those of this migration.
ALTER TABLE animal_store.orders ADD COLUMN delivered_at bigint;
ALTER TABLE animal_store.orders ADD COLUMN folded_texts text NOT NULL DEFAULT '';
-- When an order was delivered that was returned later is not known.
UPDATE animal_store.orders SET delivered_at = ended_at WHERE status = 'delivered';

-- Lists are by status, time and id.
CREATE INDEX orders_by_delivery ON animal_store.orders (status, delivered_at, id) WHERE delivered_at IS NOT NULL;
-- The summary counts the ends of each day by status.
DROP INDEX animal_store.orders_by_end;
CREATE INDEX orders_by_end ON animal_store.orders (ended_at, status) WHERE ended_at IS NOT NULL;
