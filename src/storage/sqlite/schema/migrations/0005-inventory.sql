-- How many animals have each status, in one row. Triggers change it in the transaction that changes the
-- animals, whatever program that is, so a reader always finds the counts of its snapshot.
CREATE TABLE pet_counts (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  available INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  sold INTEGER NOT NULL,
  unset INTEGER NOT NULL
) STRICT;

INSERT INTO pet_counts VALUES (
  1,
  (SELECT count(*) FROM pets WHERE status = 'available'),
  (SELECT count(*) FROM pets WHERE status = 'pending'),
  (SELECT count(*) FROM pets WHERE status = 'sold'),
  (SELECT count(*) FROM pets WHERE status IS NULL)
);

CREATE TRIGGER count_added_pet AFTER INSERT ON pets BEGIN
  UPDATE pet_counts SET
    available = available + (NEW.status IS 'available'),
    pending = pending + (NEW.status IS 'pending'),
    sold = sold + (NEW.status IS 'sold'),
    unset = unset + (NEW.status IS NULL);
END;

CREATE TRIGGER count_removed_pet AFTER DELETE ON pets BEGIN
  UPDATE pet_counts SET
    available = available - (OLD.status IS 'available'),
    pending = pending - (OLD.status IS 'pending'),
    sold = sold - (OLD.status IS 'sold'),
    unset = unset - (OLD.status IS NULL);
END;

CREATE TRIGGER count_changed_pet AFTER UPDATE OF status ON pets WHEN OLD.status IS NOT NEW.status BEGIN
  UPDATE pet_counts SET
    available = available + (NEW.status IS 'available') - (OLD.status IS 'available'),
    pending = pending + (NEW.status IS 'pending') - (OLD.status IS 'pending'),
    sold = sold + (NEW.status IS 'sold') - (OLD.status IS 'sold'),
    unset = unset + (NEW.status IS NULL) - (OLD.status IS NULL);
END;
