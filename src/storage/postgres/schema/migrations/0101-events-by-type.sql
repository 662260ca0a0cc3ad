-- A list of the events of some types reads no others. Other programs may add events meanwhile: they wait for the index.
CREATE INDEX events_by_type ON animal_store.events (type, id);
