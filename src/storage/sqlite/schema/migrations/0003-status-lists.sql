-- A page of animals of one status is read from the index alone. The id stands in it by name, since
-- the rowid, in which every index ends, would come after the other columns.
DROP INDEX pets_by_status;
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
