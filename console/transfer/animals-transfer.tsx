import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { type PetQuery, petPages } from '../animals/queries.ts';
import { loadCategories, namesOf } from '../categories/queries.ts';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { Download } from './download.tsx';
import { ImportAnimals } from './import-animals.tsx';
import type { FileColumn } from './list-file.ts';

interface Props {
  /** What the list shows. Undefined if a filter is not valid. */
  readonly query: Omit<PetQuery, 'cursor'> | undefined;
}

/** Adds the animals of a file, and saves those of the list. */
export function AnimalsTransfer({ query }: Props) {
  const { store, may } = useSession();
  const queries = useQueryClient();
  const names = useRef<ReadonlyMap<string, string>>(new Map());
  const [isOpen, setIsOpen] = useState(false);
  const columns: readonly FileColumn<Pet<string>>[] = [
    { name: 'id', text: ({ id }) => id },
    { name: 'name', text: ({ name }) => name, isFree: true },
    { name: 'categoryId', text: ({ categoryId }) => categoryId },
    { name: 'category', text: ({ categoryId }) => names.current.get(categoryId), isFree: true },
    { name: 'status', text: ({ status }) => status },
  ];
  return (
    <>
      {may('pets:write') && (
        <Button onClick={() => setIsOpen(true)}>{TEXTS.transfer.import}</Button>
      )}
      {query && (
        <Download
          name="animals"
          columns={columns}
          pages={async function* (signal) {
            names.current = await namesOf(await loadCategories(queries, store));
            yield* petPages(store, query, signal);
          }}
        />
      )}
      {isOpen && <ImportAnimals onClose={() => setIsOpen(false)} />}
    </>
  );
}
