-- How many animals of each category have each status. A category without animals has no row, so the table is never larger
-- than the catalogue. The triggers are not those of pet_counts: an import by an older program that has the file open
-- drops only the triggers that it knows, so these count its animals.
CREATE TABLE category_counts (
  category_id INTEGER PRIMARY KEY,
  available INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  sold INTEGER NOT NULL,
  unset INTEGER NOT NULL
) STRICT;

INSERT INTO category_counts
SELECT
  category_id,
  count(*) FILTER (WHERE status = 'available'),
  count(*) FILTER (WHERE status = 'pending'),
  count(*) FILTER (WHERE status = 'sold'),
  count(*) FILTER (WHERE status IS NULL)
FROM pets
GROUP BY category_id;

CREATE TRIGGER count_added_pet_in_category AFTER INSERT ON pets BEGIN
  INSERT INTO category_counts VALUES (
    NEW.category_id,
    NEW.status IS 'available',
    NEW.status IS 'pending',
    NEW.status IS 'sold',
    NEW.status IS NULL
  ) ON CONFLICT (category_id) DO UPDATE SET
    available = available + excluded.available,
    pending = pending + excluded.pending,
    sold = sold + excluded.sold,
    unset = unset + excluded.unset;
END;

CREATE TRIGGER count_removed_pet_in_category AFTER DELETE ON pets BEGIN
  UPDATE category_counts SET
    available = available - (OLD.status IS 'available'),
    pending = pending - (OLD.status IS 'pending'),
    sold = sold - (OLD.status IS 'sold'),
    unset = unset - (OLD.status IS NULL)
  WHERE category_id = OLD.category_id;
  DELETE FROM category_counts
  WHERE category_id = OLD.category_id AND available = 0 AND pending = 0 AND sold = 0 AND unset = 0;
END;

CREATE TRIGGER count_changed_pet_in_category AFTER UPDATE OF category_id, status ON pets WHEN OLD.category_id <> NEW.category_id OR OLD.status IS NOT NEW.status BEGIN
  INSERT INTO category_counts VALUES (
    NEW.category_id,
    NEW.status IS 'available',
    NEW.status IS 'pending',
    NEW.status IS 'sold',
    NEW.status IS NULL
  ) ON CONFLICT (category_id) DO UPDATE SET
    available = available + excluded.available,
    pending = pending + excluded.pending,
    sold = sold + excluded.sold,
    unset = unset + excluded.unset;
  UPDATE category_counts SET
    available = available - (OLD.status IS 'available'),
    pending = pending - (OLD.status IS 'pending'),
    sold = sold - (OLD.status IS 'sold'),
    unset = unset - (OLD.status IS NULL)
  WHERE category_id = OLD.category_id;
  DELETE FROM category_counts
  WHERE category_id = OLD.category_id AND available = 0 AND pending = 0 AND sold = 0 AND unset = 0;
END;
