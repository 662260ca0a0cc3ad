import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { validFilters } from '../animals/animal-filters.tsx';
import { petPages } from '../animals/queries.ts';
import { loadCategories, namesOf } from '../categories/queries.ts';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { Download } from './download.tsx';
import { ImportAnimals } from './import-animals.tsx';

/** Adds the animals of a file, and saves the animals of the list. */
export function AnimalsTransfer({ query }: { readonly query: ReturnType<typeof validFilters> }) {
  const { store, may } = useSession();
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const pages = async function* (signal: AbortSignal) {
    const names = namesOf(await loadCategories(queries, store));
    for await (const page of query ? petPages(store, query, signal) : [])
      yield page.map((pet) => ({ ...pet, category: names.get(pet.categoryId) }));
  };
  return (
    <>
      {may('pets:write') && (
        <Button onClick={() => setIsOpen(true)}>{TEXTS.transfer.import}</Button>
      )}
      {query && (
        <Download
          name="animals"
          columns={['id', 'name', 'categoryId', 'category', 'status']}
          pages={pages}
        />
      )}
      {isOpen && <ImportAnimals onClose={() => setIsOpen(false)} />}
    </>
  );
}
