-- A list of the events of some types reads no others. The index ends in the rowid, which is the id.
CREATE INDEX events_by_type ON events (type);
