-- How many animals of a category have each status is the sum of its rows in both tables. Each statement that changes
-- animals adds a row to the second table for each category, as it adds one to pet_counts. The service moves many of
-- these rows to the first one, where a category has at most one, and a category without animals has none.
CREATE TABLE animal_store.category_counts (
  category_id bigint PRIMARY KEY,
  available bigint NOT NULL,
  pending bigint NOT NULL,
  sold bigint NOT NULL,
  unset bigint NOT NULL
);

CREATE TABLE animal_store.category_count_changes (
  category_id bigint NOT NULL,
  available bigint NOT NULL,
  pending bigint NOT NULL,
  sold bigint NOT NULL,
  unset bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX category_count_changes_by_category ON animal_store.category_count_changes (category_id);

-- Without a key, logical replication identifies a row by its values. Otherwise a publication would refuse DELETE.
ALTER TABLE animal_store.category_count_changes REPLICA IDENTITY FULL;

-- The rights on pet_counts show what a role does: it reads the counts, changes animals, or also compacts the counts.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN
    SELECT
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS name,
      bool_or(privilege_type = 'SELECT') AS reads,
      bool_or(privilege_type = 'INSERT') AS changes,
      bool_or(privilege_type = 'DELETE') AS compacts
    FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = 'animal_store.pet_counts'::regclass AND grantee <> relowner
    GROUP BY grantee
  LOOP
    IF role.reads THEN
      EXECUTE format('GRANT SELECT ON animal_store.category_counts, animal_store.category_count_changes TO %s', role.name);
    END IF;
    IF role.changes THEN
      EXECUTE format('GRANT INSERT ON animal_store.category_count_changes TO %s', role.name);
    END IF;
    IF role.compacts THEN
      EXECUTE format('GRANT DELETE ON animal_store.category_count_changes TO %s', role.name);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON animal_store.category_counts TO %s', role.name);
    END IF;
  END LOOP;
END $$;

-- Waits for the transactions that change animals: what they add or remove is then counted by the next migration, and all
-- later statements by these functions. The triggers of pet_counts call them, so that a statement runs no second trigger.
LOCK TABLE animal_store.pets IN SHARE ROW EXCLUSIVE MODE;

CREATE OR REPLACE FUNCTION animal_store.count_added_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changes AS (
    SELECT
      category_id,
      count(*) FILTER (WHERE status = 'available') AS available,
      count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'sold') AS sold,
      count(*) FILTER (WHERE status IS NULL) AS unset
    FROM added
    GROUP BY category_id
  ), in_categories AS (
    INSERT INTO animal_store.category_count_changes SELECT * FROM changes
  )
  INSERT INTO animal_store.pet_counts
  SELECT sum(available), sum(pending), sum(sold), sum(unset)
  FROM changes
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION animal_store.count_removed_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changes AS (
    SELECT
      category_id,
      -count(*) FILTER (WHERE status = 'available') AS available,
      -count(*) FILTER (WHERE status = 'pending') AS pending,
      -count(*) FILTER (WHERE status = 'sold') AS sold,
      -count(*) FILTER (WHERE status IS NULL) AS unset
    FROM removed
    GROUP BY category_id
  ), in_categories AS (
    INSERT INTO animal_store.category_count_changes SELECT * FROM changes
  )
  INSERT INTO animal_store.pet_counts
  SELECT sum(available), sum(pending), sum(sold), sum(unset)
  FROM changes
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- An update that changes no status and no category adds no row. One that changes categories alone adds none to pet_counts.
CREATE OR REPLACE FUNCTION animal_store.count_changed_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changes AS (
    SELECT * FROM (
      SELECT
        category_id,
        coalesce(sum(change) FILTER (WHERE status = 'available'), 0) AS available,
        coalesce(sum(change) FILTER (WHERE status = 'pending'), 0) AS pending,
        coalesce(sum(change) FILTER (WHERE status = 'sold'), 0) AS sold,
        coalesce(sum(change) FILTER (WHERE status IS NULL), 0) AS unset
      FROM (
        SELECT category_id, status, 1 AS change FROM new_pets
        UNION ALL
        SELECT category_id, status, -1 FROM old_pets
      ) AS pets
      GROUP BY category_id
    ) AS sums
    WHERE (available, pending, sold, unset) <> (0, 0, 0, 0)
  ), in_categories AS (
    INSERT INTO animal_store.category_count_changes SELECT * FROM changes
  )
  INSERT INTO animal_store.pet_counts
  SELECT sum(available), sum(pending), sum(sold), sum(unset)
  FROM changes
  HAVING (sum(available), sum(pending), sum(sold), sum(unset)) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;

-- Deletes no row: another transaction may be moving it.
CREATE OR REPLACE FUNCTION animal_store.count_truncated_pets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.pet_counts
  SELECT -sum(available), -sum(pending), -sum(sold), -sum(unset)
  FROM animal_store.pet_counts
  HAVING count(*) > 0;
  INSERT INTO animal_store.category_count_changes
  SELECT category_id, -sum(available), -sum(pending), -sum(sold), -sum(unset)
  FROM (TABLE animal_store.category_counts UNION ALL TABLE animal_store.category_count_changes) AS counts
  GROUP BY category_id;
  RETURN NULL;
END $$;
