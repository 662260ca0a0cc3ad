-- Counts the animals that are older than the functions of the previous migration. One statement has one snapshot: it
-- contains each later change both as animals and as changes of counts. No other transaction waits.
INSERT INTO animal_store.category_counts
SELECT category_id, sum(available), sum(pending), sum(sold), sum(unset)
FROM (
  SELECT
    category_id,
    count(*) FILTER (WHERE status = 'available') AS available,
    count(*) FILTER (WHERE status = 'pending') AS pending,
    count(*) FILTER (WHERE status = 'sold') AS sold,
    count(*) FILTER (WHERE status IS NULL) AS unset
  FROM animal_store.pets
  GROUP BY category_id
  UNION ALL
  SELECT category_id, -available, -pending, -sold, -unset
  FROM animal_store.category_count_changes
) AS counts
GROUP BY category_id
HAVING (sum(available), sum(pending), sum(sold), sum(unset)) <> (0, 0, 0, 0);
