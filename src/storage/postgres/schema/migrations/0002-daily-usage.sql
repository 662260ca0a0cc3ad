-- How often all keys together called each operation on each day. Days are numbered from 1970-01-01 in UTC.
CREATE TABLE animal_store.daily_usage (
  day integer NOT NULL,
  operation_id text NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (day, operation_id)
);

-- The service may have another role than the owner of the tables: each role with rights on the totals gets those that it
-- needs on the calls per day.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN
    SELECT
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS name,
      bool_or(privilege_type IN ('INSERT', 'UPDATE', 'DELETE')) AS writes
    FROM pg_class, aclexplode(relacl)
    WHERE pg_class.oid = 'animal_store.operation_usage'::regclass AND grantee <> relowner
    GROUP BY grantee
  LOOP
    EXECUTE format(
      'GRANT %s ON animal_store.daily_usage TO %s',
      CASE WHEN role.writes THEN 'SELECT, INSERT, UPDATE, DELETE' ELSE 'SELECT' END,
      role.name
    );
  END LOOP;
END $$;
