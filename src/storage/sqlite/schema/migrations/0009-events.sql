-- What changed, in the order of the changes: the id is the position in the feed. content is JSON. A key has no reference
-- because keys are never deleted.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  key_id INTEGER,
  content TEXT NOT NULL
) STRICT;

-- Every index ends in the rowid, which is the id.
CREATE INDEX events_by_subject ON events (subject);
CREATE INDEX events_by_type ON events (type);

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

-- Who can obtain every scope may read the events.
UPDATE api_keys SET scopes = scopes || ' events:read'
WHERE ' ' || scopes || ' ' LIKE '% keys:admin %' AND ' ' || scopes || ' ' NOT LIKE '% events:read %';
