-- How often all keys together called each operation on each day. Days are numbered from 1970-01-01 in UTC.
CREATE TABLE daily_usage (
  day INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (day, operation_id)
) STRICT, WITHOUT ROWID;
