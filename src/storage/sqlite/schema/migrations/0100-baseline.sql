-- folded_name is the name as searches compare it. The service writes both. It is the last column, so that other reads do not pass it.
-- AUTOINCREMENT: an id is never assigned twice, not even after its row is gone.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold')),
  folded_name TEXT NOT NULL DEFAULT ''
) STRICT;

-- A page of animals of one status is read from the index alone. The id stands in it by name, since
-- the rowid, in which every index ends, would come after the other columns.
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
-- A page of a category without a status is merged from one part for each status, NULL included.
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);

-- A category has an id before it has a record: pets may name one that is not here.
CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255)
) STRICT;

-- Times are milliseconds since 1970-01-01T00:00:00Z. An order outlives its animal's record, so there is no reference.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled', 'expired', 'returned')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  reference TEXT CHECK (length(reference) BETWEEN 1 AND 100),
  note TEXT CHECK (length(note) BETWEEN 1 AND 1000),
  ended_at INTEGER
) STRICT;

-- One animal is never sold twice: whatever the program does, it has one open order at most.
CREATE UNIQUE INDEX one_open_order ON orders (pet_id) WHERE status IN ('placed', 'approved');
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE status = 'placed';
CREATE INDEX orders_by_end ON orders (ended_at) WHERE ended_at IS NOT NULL;

-- Every index ends in the rowid, which is the id. Lists are by id, or by time and id.
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_reference ON orders (reference, status) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_time ON orders (created_at);
CREATE INDEX orders_by_status_and_time ON orders (status, created_at);
CREATE INDEX orders_by_pet_and_time ON orders (pet_id, created_at);
CREATE INDEX orders_by_reference_and_time ON orders (reference, status, created_at) WHERE reference IS NOT NULL;

-- A key itself is never stored. expires_at is as it was granted, rotated_until when a rotation ends it.
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  hint TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_until INTEGER
) STRICT;

-- How often and when last each key called each operation.
CREATE TABLE operation_usage (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  operation_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation_id)
) STRICT, WITHOUT ROWID;

-- How often all keys together called each operation on each day. Days are numbered from 1970-01-01 in UTC.
CREATE TABLE daily_usage (
  day INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (day, operation_id)
) STRICT, WITHOUT ROWID;

-- The first response to a request with an Idempotency-Key, saved in the transaction of its changes.
CREATE TABLE idempotency_records (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  response BLOB NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_records_by_age ON idempotency_records (saved_at);

-- How many animals of each category have each status. The counts of all animals are the sums of all rows. Triggers change a row in the
-- transaction that changes the animals, whatever program that is, so a reader always finds the counts of its snapshot. A category
-- without animals has no row, so the table is never larger than the catalogue.
CREATE TABLE category_counts (
  category_id INTEGER PRIMARY KEY,
  available INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  sold INTEGER NOT NULL,
  unset INTEGER NOT NULL
) STRICT;

CREATE TRIGGER count_added_pet AFTER INSERT ON pets BEGIN
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

CREATE TRIGGER count_removed_pet AFTER DELETE ON pets BEGIN
  UPDATE category_counts SET
    available = available - (OLD.status IS 'available'),
    pending = pending - (OLD.status IS 'pending'),
    sold = sold - (OLD.status IS 'sold'),
    unset = unset - (OLD.status IS NULL)
  WHERE category_id = OLD.category_id;
  DELETE FROM category_counts
  WHERE category_id = OLD.category_id AND available = 0 AND pending = 0 AND sold = 0 AND unset = 0;
END;

CREATE TRIGGER count_changed_pet AFTER UPDATE OF category_id, status ON pets WHEN OLD.category_id <> NEW.category_id OR OLD.status IS NOT NEW.status BEGIN
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

-- What changed, in the order of the changes: the id is the position in the feed. Numbers stand for the words of types and
-- collections, as the program says. content is JSON. A key has no reference because keys are never deleted.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  key_id INTEGER,
  resource_id INTEGER NOT NULL,
  collection INTEGER NOT NULL,
  type INTEGER NOT NULL,
  content TEXT NOT NULL
) STRICT;

-- The index ends in the rowid, which is the id.
CREATE INDEX events_by_subject ON events (collection, resource_id);

-- One row. A position means nothing in another generation. deleted_to is the position of the last event that was deleted.
CREATE TABLE event_feed (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  generation TEXT NOT NULL CHECK (length(generation) = 8),
  deleted_to INTEGER NOT NULL
) STRICT;

INSERT INTO event_feed VALUES (1, lower(hex(randomblob(4))), 0);

-- One row. When the command backup last succeeded, in milliseconds since 1970-01-01T00:00:00Z; NULL: never.
CREATE TABLE last_backup (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  at INTEGER
) STRICT;

INSERT INTO last_backup VALUES (1, NULL);
