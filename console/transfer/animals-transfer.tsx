import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import type { PetQuery } from '../animals/queries.ts';
import { loadCategoryNames } from '../categories/queries.ts';
import { int64Text } from '../int64.ts';
import { Button } from '../parts/button.tsx';
import { type Store, useSession } from '../session.tsx';
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
            names.current = await loadCategoryNames(queries, store);
            yield* petPages(store, query, signal);
          }}
        />
      )}
      {isOpen && <ImportAnimals onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** The most that one page of the service holds. */
const MAX_PAGE_SIZE = 100;

/** A wait of the service is no reason to stop. The page says so, and the user can leave the wait. */
const MAX_RETRIES = 10;

/** All animals that a list shows: a number in its search is also the id of one, which comes first. */
async function* petPages(
  store: Store,
  { status, categoryId, name, sort }: Omit<PetQuery, 'cursor'>,
  signal: AbortSignal,
): AsyncGenerator<readonly Pet<string>[]> {
  const filters = {
    sort: sort || '-id',
    limit: MAX_PAGE_SIZE,
    ...(status && status !== 'unset' && { status }),
    ...(categoryId && { categoryId }),
  } as const;
  const options = { signal, maxRetries: MAX_RETRIES };
  const isShown = (pet: Pet<string>) => status !== 'unset' || pet.status === undefined;
  const id = int64Text(name);
  if (id !== undefined) {
    const numbered = await store.pets.list({ ...filters, id: [id] }, options).toArray();
    yield numbered.filter(isShown);
  }
  const named = store.pets.list({ ...filters, ...(name && { name }) }, options);
  for await (const { data } of named.pages())
    yield data.filter((pet) => pet.id !== id && isShown(pet));
}
