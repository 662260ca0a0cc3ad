-- The folded names of animals, by trigrams. The program folds names, so a background job of it fills this table.
-- Without positions and sizes: a search looks at the names that it finds.
CREATE VIRTUAL TABLE pet_names USING fts5 (
  folded_name,
  detail = none,
  columnsize = 0,
  tokenize = 'trigram case_sensitive 1'
);

-- The animals that are not in it yet. Triggers list each animal that is added or gets another name, whatever program does
-- that: a search looks at them one by one.
CREATE TABLE unindexed_pets (id INTEGER PRIMARY KEY) STRICT;

INSERT INTO unindexed_pets SELECT id FROM pets;

CREATE TRIGGER unindex_added_pet AFTER INSERT ON pets BEGIN
  INSERT INTO unindexed_pets VALUES (NEW.id);
END;

CREATE TRIGGER unindex_renamed_pet AFTER UPDATE OF name ON pets WHEN OLD.name IS NOT NEW.name BEGIN
  DELETE FROM pet_names WHERE rowid = OLD.id;
  INSERT OR IGNORE INTO unindexed_pets VALUES (OLD.id);
END;

CREATE TRIGGER unindex_removed_pet AFTER DELETE ON pets BEGIN
  DELETE FROM pet_names WHERE rowid = OLD.id;
  DELETE FROM unindexed_pets WHERE id = OLD.id;
END;
