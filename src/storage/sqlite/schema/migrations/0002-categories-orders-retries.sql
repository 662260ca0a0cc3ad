-- A category has an id before it has a record: pets may name one that is not here.
CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255)
) STRICT;

CREATE INDEX pets_by_category ON pets (category_id);
-- For both filters at once: the index above would read the whole category for its few of a status.
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);

-- An order outlives its animal's record, so there is no reference.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled', 'expired')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;

-- One animal is never sold twice: whatever the program does, it has one open order at most.
CREATE UNIQUE INDEX one_open_order ON orders (pet_id) WHERE status IN ('placed', 'approved');
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE status = 'placed';

-- The first answer to a request that carried an Idempotency-Key, kept with what it made.
CREATE TABLE kept_answers (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  answer BLOB NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_answers_by_age ON kept_answers (kept_at);

-- When a key that was rotated ends. Apart from expires_at, which a successor inherits as it was granted.
ALTER TABLE api_keys ADD COLUMN rotated_until INTEGER;
