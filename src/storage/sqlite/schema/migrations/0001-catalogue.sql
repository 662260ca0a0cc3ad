-- AUTOINCREMENT: an id is never assigned twice, not even after its row is gone.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;

-- Every index ends in the rowid, which is the id: this one is read in the order of a page.
CREATE INDEX pets_by_status ON pets (status);

-- Times are milliseconds since 1970-01-01T00:00:00Z. A key itself is never stored.
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  hint TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

-- How often and when last each key called each operation.
CREATE TABLE operation_usage (
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  operation_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation_id)
) STRICT, WITHOUT ROWID;
