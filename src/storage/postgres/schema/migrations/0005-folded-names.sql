-- The name as searches compare it. The program folds names: NULL says that it has not done so yet, and a search then looks at the
-- name itself. A new column without a default changes no row.
ALTER TABLE animal_store.pets ADD COLUMN folded_name text;

CREATE FUNCTION animal_store.unfold_renamed_pet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.folded_name := NULL;
  RETURN NEW;
END $$;

-- Any program may rename an animal. Not UPDATE OF name: another trigger may have changed the name.
CREATE TRIGGER unfold_renamed_pet BEFORE UPDATE ON animal_store.pets
  FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name AND OLD.folded_name IS NOT DISTINCT FROM NEW.folded_name)
  EXECUTE FUNCTION animal_store.unfold_renamed_pet();

-- A subscription to the animals of a server without the column renames them, too.
ALTER TABLE animal_store.pets ENABLE ALWAYS TRIGGER unfold_renamed_pet;
