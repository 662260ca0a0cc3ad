-- The animals whose names are not folded yet. A migration of its own, so that reads go on: this waits for the changes,
-- and the previous one for all transactions.
CREATE INDEX unfolded_pets ON animal_store.pets (id) WHERE folded_name IS NULL;

-- The trigrams of the names, if this role can have them: a search is complete without this index, too. The extension may be in
-- any schema. As a dump contains it, it is not in ours, but where other programs look for it.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    CREATE EXTENSION pg_trgm SCHEMA public;
  END IF;
  EXECUTE format(
    'CREATE INDEX pets_by_trigrams ON animal_store.pets USING gin (folded_name %I.gin_trgm_ops) WHERE folded_name IS NOT NULL',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm')
  );
EXCEPTION
  WHEN OTHERS THEN
    NULL;
END $$;
