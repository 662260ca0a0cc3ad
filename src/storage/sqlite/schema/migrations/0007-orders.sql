-- A status more, the texts of clients, and when an order ended. SQLite cannot change a CHECK, so the table is built again.
CREATE TABLE new_orders (
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

-- Nobody knows when older orders ended: it was before now.
INSERT INTO new_orders (id, pet_id, status, created_at, expires_at, ended_at)
SELECT
  id, pet_id, status, created_at, expires_at,
  CASE WHEN status NOT IN ('placed', 'approved') THEN CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER) END
FROM orders
ORDER BY id;

-- The highest id that was ever assigned, which may be higher than that of any row.
DELETE FROM sqlite_sequence WHERE name = 'new_orders';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_orders', seq FROM sqlite_sequence WHERE name = 'orders';

-- The pragma lets views of others on this table stay as they are. Without it, the new name would be refused because of them.
DROP TABLE orders;
PRAGMA legacy_alter_table = ON;
ALTER TABLE new_orders RENAME TO orders;
PRAGMA legacy_alter_table = OFF;

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
