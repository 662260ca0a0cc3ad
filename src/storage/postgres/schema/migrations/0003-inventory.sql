-- How many animals have each status is the sum of all rows. Each statement that changes animals adds a row in
-- its transaction, so the sum is exact in every snapshot, and no two statements wait for each other. The
-- service replaces many rows by their sum.
CREATE TABLE animal_store.pet_counts (
  available bigint NOT NULL,
  pending bigint NOT NULL,
  sold bigint NOT NULL,
  unset bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Without a key, logical replication identifies a row by its values. Otherwise a publication would refuse DELETE.
ALTER TABLE animal_store.pet_counts REPLICA IDENTITY FULL;

-- The service may have another role than the owner of the tables: each role gets the rights that it needs.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN
    SELECT
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS name,
      bool_or(privilege_type IN ('INSERT', 'UPDATE', 'DELETE')) AS writes
    FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = 'animal_store.pets'::regclass AND grantee <> relowner
    GROUP BY grantee
  LOOP
    EXECUTE format(
      'GRANT %s ON animal_store.pet_counts TO %s',
      CASE WHEN role.writes THEN 'SELECT, INSERT, DELETE' ELSE 'SELECT' END,
      role.name
    );
  END LOOP;
END $$;

CREATE FUNCTION animal_store.count_added_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.pet_counts
  SELECT
    count(*) FILTER (WHERE status = 'available'),
    count(*) FILTER (WHERE status = 'pending'),
    count(*) FILTER (WHERE status = 'sold'),
    count(*) FILTER (WHERE status IS NULL)
  FROM added
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.count_removed_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.pet_counts
  SELECT
    -count(*) FILTER (WHERE status = 'available'),
    -count(*) FILTER (WHERE status = 'pending'),
    -count(*) FILTER (WHERE status = 'sold'),
    -count(*) FILTER (WHERE status IS NULL)
  FROM removed
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- An update that changes no status adds no row.
CREATE FUNCTION animal_store.count_changed_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.pet_counts
  SELECT * FROM (
    SELECT
      coalesce(sum(change) FILTER (WHERE status = 'available'), 0) AS available,
      coalesce(sum(change) FILTER (WHERE status = 'pending'), 0) AS pending,
      coalesce(sum(change) FILTER (WHERE status = 'sold'), 0) AS sold,
      coalesce(sum(change) FILTER (WHERE status IS NULL), 0) AS unset
    FROM (SELECT status, 1 AS change FROM new_pets UNION ALL SELECT status, -1 FROM old_pets) AS pets
  ) AS changes
  WHERE (available, pending, sold, unset) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;

-- Deletes no row: another transaction may be replacing it by a sum.
CREATE FUNCTION animal_store.count_truncated_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.pet_counts
  SELECT -sum(available), -sum(pending), -sum(sold), -sum(unset)
  FROM animal_store.pet_counts
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER count_added_pets AFTER INSERT ON animal_store.pets
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_added_pets();

CREATE TRIGGER count_removed_pets AFTER DELETE ON animal_store.pets
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_removed_pets();

CREATE TRIGGER count_changed_pets AFTER UPDATE ON animal_store.pets
  REFERENCING OLD TABLE AS old_pets NEW TABLE AS new_pets
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_changed_pets();

CREATE TRIGGER count_truncated_pets AFTER TRUNCATE ON animal_store.pets
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_truncated_pets();
