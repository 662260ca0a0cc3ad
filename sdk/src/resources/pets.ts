import { waitFor } from '../attempt.ts';
import { partsOf } from '../bulk.ts';
import { Call } from '../call.ts';
import { edit } from '../edit.ts';
import { AnimalStoreError, ApiError, UnsupportedError } from '../errors.ts';
import type { ListPetsQuery, NewPet, Pet, PetPatch } from '../generated.ts';
import { type Int64Input, type Int64Mode, type Int64Output, int64Digits } from '../int64.ts';
import { List } from '../list.ts';
import {
  type BulkOptions,
  type CallOptions,
  type ChangeOptions,
  type CreateOptions,
  checkCallOptions,
} from '../options.ts';
import { pathOf, randomKey, toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

const PATH = '/pets';

/** The animals of the catalogue. */
export class Pets<Mode extends Int64Mode> extends Resource {
  /**
   * Lists animals, ascending by id, or with `sort: '-id'` the newest first. An empty array of ids selects none.
   * @throws TypeError if an id is not exact
   * @throws UnsupportedError from the iteration, if the service ignores the filter `id` or `categoryId`
   */
  list(
    query: ListPetsQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): List<Pet<Int64Output<Mode>>> {
    return new List<Pet<Int64Output<Mode>>>(this.core, PATH, toQuery(query), options, (pet) =>
      checkFilters(pet, query),
    );
  }

  /** Adds an animal. */
  create(pet: NewPet<Int64Input<Mode>>, options?: CreateOptions): Call<Pet<Int64Output<Mode>>> {
    return this.core.call('POST', () => PATH, options, pet);
  }

  /** Adds up to 1,000 animals by one request, all or none, and returns them in the same order. */
  createMany(
    pets: readonly NewPet<Int64Input<Mode>>[],
    options?: CreateOptions,
  ): Call<Pet<Int64Output<Mode>>[]> {
    const request = { method: 'POST', path: '/pet-batches', body: { pets }, isList: true } as const;
    return new Call(() => this.core.send(request, options));
  }

  /**
   * Adds any number of animals in parts, one after the other. One request adds a part, all or none.
   * @returns the number of animals of the source that are stored
   * @throws what `createMany` throws. An `AnimalStoreError` has the `offset` of the part: all before it are stored
   * @throws TypeError before the first request if no part of the source begins at `from`
   */
  async bulkCreate(
    pets: Iterable<NewPet<Int64Input<Mode>>> | AsyncIterable<NewPet<Int64Input<Mode>>>,
    options: BulkOptions<Pet<Int64Output<Mode>>> = {},
  ): Promise<number> {
    checkCallOptions(options, 'POST', ['from', 'onProgress']);
    const { idempotencyKey: key = randomKey(), from = 0, onProgress, ...rest } = options;
    const misplaced = `from: No part of this source begins at ${from}. Use a count that was reported.`;
    if (!(from >= 0)) throw new TypeError(misplaced);
    const iterator = (pets as Partial<AsyncIterable<NewPet<Int64Input<Mode>>>>)[
      Symbol.asyncIterator
    ]?.();
    const source = iterator ? { [Symbol.asyncIterator]: () => iterator } : pets;
    const load = async () => {
      let count = 0;
      for await (const { offset, items } of partsOf(source)) {
        count += items.length;
        if (count <= from) continue;
        // The parts would have other keys than in an earlier run, and could be created twice.
        if (offset < from) throw new TypeError(misplaced);
        const { data, response } = await this.createMany(items, {
          ...rest,
          idempotencyKey: `${key}-${offset}`,
        })
          .withResponse()
          .catch((failure) => {
            if (failure instanceof AnimalStoreError) Object.assign(failure, { offset });
            throw failure;
          });
        await onProgress?.({ created: data, count, replayed: response.replayed });
      }
      if (count < from) throw new TypeError(misplaced);
      return count;
    };
    try {
      return await waitFor(load, { signal: rest.signal });
    } finally {
      // An aborted load leaves the source open, which may never give another item.
      Promise.resolve(iterator?.return?.()).catch(() => {});
    }
  }

  /**
   * Fetches one animal, by the list with the filter `id` because the operation getPet is deprecated. The ETag of the response
   * is the ETag of the animal.
   * @throws ApiError `pet_not_found` with the status 404, created by the client, if the list is empty
   * @throws UnsupportedError if the service ignores the filter
   */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<Pet<Int64Output<Mode>>> {
    return new Call(async () => {
      const query = toQuery({ id: int64Digits(id, 'id'), limit: 1 });
      const request = { method: 'GET', path: PATH, query, isList: true } as const;
      const { data, response } = await this.core.send<Pet<Int64Output<Mode>>[]>(request, options);
      const [pet] = data;
      if (pet === undefined) {
        const details = { ...request, ...response, status: 404, code: 'pet_not_found' };
        throw new ApiError('No animal has this identifier.', details);
      }
      checkFilters(pet, { id: [id] });
      return { data: pet, response };
    });
  }

  /** Changes the fields in the patch and leaves the others. `status: null` removes the status. */
  update(
    id: Int64Input<Mode>,
    patch: PetPatch<Int64Input<Mode>>,
    options?: ChangeOptions,
  ): Call<Pet<Int64Output<Mode>>> {
    return this.core.call('PATCH', () => pathOf(PATH, id), options, patch);
  }

  /**
   * Fetches an animal, and changes it by the patch that `change` returns for it. If another client changes it in between,
   * starts again, four times at most. Without a patch nothing is changed.
   */
  edit(
    id: Int64Input<Mode>,
    change: (
      pet: Pet<Int64Output<Mode>>,
    ) => MaybePatch<Int64Input<Mode>> | Promise<MaybePatch<Int64Input<Mode>>>,
    options?: CallOptions,
  ): Call<Pet<Int64Output<Mode>>> {
    return new Call(() => edit(this, id, change, options));
  }

  /** Removes an animal. */
  delete(id: Int64Input<Mode>, options?: ChangeOptions): Call<void> {
    return this.core.call('DELETE', () => pathOf(PATH, id), options);
  }
}

type MaybePatch<Id> = PetPatch<Id> | undefined;

type Filtered = { readonly id?: unknown; readonly categoryId?: unknown };

/** @throws UnsupportedError if an animal is not one that was asked for */
function checkFilters(pet: Filtered, query: Filtered): void {
  for (const name of ['id', 'categoryId'] as const) {
    const allowed = query[name];
    const isWanted = (value: unknown) => String(value) === String(pet[name]);
    if (allowed !== undefined && ![allowed].flat().some(isWanted))
      throw new UnsupportedError(
        `The service ignores the filter ${name}: it runs with EXTENSIONS=off.`,
      );
  }
}
