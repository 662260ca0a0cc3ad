import { useMutation, useQuery } from '@tanstack/react-query';
import type { NewPet, Pet, PetPatch, PetStatus } from '../../sdk/src/index.ts';
import { useCreationKey } from '../creation-key.ts';
import { firstPage } from '../first-page.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { keepSameSearch } from '../search.ts';
import { useSession } from '../session.tsx';

export interface PetQuery {
  readonly status: PetStatus | '';
  readonly categoryId: string;
  readonly id: string;
  /** A part of the name. */
  readonly name: string;
  readonly cursor: string;
}

const PAGE_SIZE = 20;

/** One page of animals, the newest first. While another page of the same search loads, the present one stays. */
export function usePets(query: PetQuery | undefined) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['pets', query?.name, query],
    queryFn: ({ signal }) => {
      if (query === undefined) throw new Error('It is not enabled without a query.');
      const { status, categoryId, id, name, cursor } = query;
      return firstPage(
        store.pets.list(
          {
            limit: PAGE_SIZE,
            sort: '-id',
            ...(status && { status }),
            ...(categoryId && { categoryId }),
            ...(id && { id: [id] }),
            ...(name && { name }),
            ...(cursor && { cursor }),
          },
          reading(signal),
        ),
      );
    },
    enabled: query !== undefined,
    placeholderData: keepSameSearch(query?.name),
  });
}

/** An animal with the entity tag of these values. */
export interface PetVersion {
  readonly pet: Pet<string>;
  readonly etag: string | undefined;
}

/** The present version of an animal. */
export function usePet(id: string) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['pet', id],
    queryFn: async ({ signal }): Promise<PetVersion> => {
      const { data, response } = await store.pets.get(id, reading(signal)).withResponse();
      return { pet: data, etag: response.etag };
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** How many animals have each status, if the API key may know. */
export function useInventory() {
  const { store, may } = useSession();
  return useQuery({
    queryKey: ['inventory'],
    queryFn: ({ signal }) => store.inventory.get({}, reading(signal)),
    enabled: may('orders:read'),
  });
}

export type PetInput = NewPet<string>;

/** Adds an animal. Used for one animal only. */
export function useCreatePet() {
  const { store } = useSession();
  const keyOf = useCreationKey();
  return useMutation({
    mutationFn: (pet: PetInput) => store.pets.create(pet, { idempotencyKey: keyOf(pet) }),
    onSettled: useRefresh(),
  });
}

export function useUpdatePet() {
  const { store } = useSession();
  return useMutation({
    mutationFn: ({
      id,
      patch,
      etag,
    }: {
      id: string;
      patch: PetPatch<string>;
      etag: string | undefined;
    }) => store.pets.update(id, patch, { ifMatch: etag }),
    onSettled: useRefresh(),
  });
}

export function useDeletePet() {
  const { store } = useSession();
  return useMutation({
    mutationFn: ({ id, etag }: { id: string; etag: string | undefined }) =>
      store.pets.delete(id, { ifMatch: etag }),
    onSettled: useRefresh(),
  });
}
