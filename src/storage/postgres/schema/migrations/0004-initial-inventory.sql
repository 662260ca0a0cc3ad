-- Counts the animals that are older than the triggers of the previous migration. One statement has one snapshot:
-- it contains each later change both as animals and as counts. No other transaction waits.
INSERT INTO animal_store.pet_counts
SELECT
  pets.available - coalesce(counted.available, 0),
  pets.pending - coalesce(counted.pending, 0),
  pets.sold - coalesce(counted.sold, 0),
  pets.unset - coalesce(counted.unset, 0)
FROM
  (
    SELECT
      count(*) FILTER (WHERE status = 'available') AS available,
      count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'sold') AS sold,
      count(*) FILTER (WHERE status IS NULL) AS unset
    FROM animal_store.pets
  ) AS pets,
  (
    SELECT sum(available) AS available, sum(pending) AS pending, sum(sold) AS sold, sum(unset) AS unset
    FROM animal_store.pet_counts
  ) AS counted;
