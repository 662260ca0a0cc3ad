-- Lists of orders are by id, or by time and id. While an index is created, changes of orders wait.
CREATE INDEX orders_by_end ON animal_store.orders (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX orders_by_reference ON animal_store.orders (reference, status, id) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_time ON animal_store.orders (created_at, id);
CREATE INDEX orders_by_status_and_time ON animal_store.orders (status, created_at, id);
CREATE INDEX orders_by_pet_and_time ON animal_store.orders (pet_id, created_at, id);
CREATE INDEX orders_by_reference_and_time ON animal_store.orders (reference, status, created_at, id)
  WHERE reference IS NOT NULL;

ALTER TABLE animal_store.orders
  VALIDATE CONSTRAINT orders_status_check,
  VALIDATE CONSTRAINT orders_reference_check,
  VALIDATE CONSTRAINT orders_note_check;
