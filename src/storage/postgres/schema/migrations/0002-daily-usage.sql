-- How often all keys together called each operation on each day. Days are numbered from 1970-01-01 in UTC.
CREATE TABLE animal_store.daily_usage (
  day integer NOT NULL,
  operation_id text NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (day, operation_id)
);
