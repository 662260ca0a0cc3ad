-- A status more, the texts of clients, and when an order ended. Nothing is written to older orders: nobody knows when they ended,
-- so the time of this migration is their default.
ALTER TABLE animal_store.orders
  ADD COLUMN reference text,
  ADD COLUMN note text,
  ADD COLUMN ended_at bigint DEFAULT round(extract(epoch FROM now()) * 1000)::bigint,
  DROP CONSTRAINT orders_status_check,
  ADD CONSTRAINT orders_status_check
    CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled', 'expired', 'returned')) NOT VALID,
  ADD CONSTRAINT orders_reference_check CHECK (char_length(reference) BETWEEN 1 AND 100) NOT VALID,
  ADD CONSTRAINT orders_note_check CHECK (char_length(note) BETWEEN 1 AND 1000) NOT VALID;

ALTER TABLE animal_store.orders ALTER COLUMN ended_at DROP DEFAULT;

UPDATE animal_store.orders SET ended_at = NULL WHERE status IN ('placed', 'approved');

-- The service deletes orders that ended long ago: each role that can change orders gets the right to.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN
    SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS name
    FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = 'animal_store.orders'::regclass AND grantee <> relowner AND privilege_type = 'UPDATE'
  LOOP
    EXECUTE format('GRANT DELETE ON animal_store.orders TO %s', role.name);
  END LOOP;
END $$;
