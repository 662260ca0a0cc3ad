import { Call, type WithResponse } from '../call.ts';
import { edit } from '../edit.ts';
import { ApiError, UnsupportedError } from '../errors.ts';
import type { BatchCreatePetsBody, ListPetsQuery, NewPet, Pet, PetPatch } from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from '../options.ts';
import type { RequestCore } from '../request-core.ts';
import { creation, pathOf, toQuery } from '../requests.ts';

const PATH = '/pets';

/** The animals of the catalogue. */
export class Pets<Mode extends Int64Mode> {
  readonly #core: RequestCore;

  constructor(core: RequestCore) {
    this.#core = core;
  }

  /**
   * Lists animals, ascending by id, or with `sort: '-id'` the newest first. An empty array of ids selects none.
   * @throws TypeError if an id is not exact
   * @throws UnsupportedError from the iteration, if the service ignores the filter `id`, `categoryId` or `name`, or the order
   */
  list(
    query: ListPetsQuery<Int64Input<Mode>> = {},
    options?: CallOptions,
  ): List<Pet<Int64Output<Mode>>> {
    return new List<Pet<Int64Output<Mode>>>(
      this.#core,
      PATH,
      toQuery(query),
      options,
      async (pets, isWhole) => {
        for (const pet of pets) checkFilters(pet, query);
        await this.#checkNames(pets, query.name, options);
        return (
          query.sort === '-id' && this.#checkDescending(pets, isWhole && query.limit === 1, options)
        );
      },
    );
  }

  /** Adds an animal. */
  create(pet: NewPet<Int64Input<Mode>>, options?: CreateOptions): Call<Pet<Int64Output<Mode>>> {
    const request = { ...creation(PATH, pet, options), isSpecified: true };
    return new Call(() => this.#core.send(request, options));
  }

  /** Adds up to 1,000 animals by one request, all or none, and returns them in the same order. */
  createMany(
    pets: readonly NewPet<Int64Input<Mode>>[],
    options?: CreateOptions,
  ): Call<Pet<Int64Output<Mode>>[]> {
    const body: BatchCreatePetsBody<Int64Input<Mode>> = { pets };
    const request = creation(`${PATH}:batchCreate`, body, options);
    return new Call(() => this.#core.send(request, options));
  }

  /**
   * Fetches one animal, by the list with the filter `id` because the operation getPet is deprecated. The ETag
   * of the response is that of the animal.
   * @throws ApiError `pet_not_found` with the status 404, created by the client, if the list is empty
   * @throws UnsupportedError if the service ignores the filter
   */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<Pet<Int64Output<Mode>>> {
    return new Call(() => this.#get(id, options));
  }

  /** Changes the fields in the patch and leaves the others. `status: null` removes the status. */
  update(
    id: Int64Input<Mode>,
    patch: PetPatch<Int64Input<Mode>>,
    options?: ChangeOptions,
  ): Call<Pet<Int64Output<Mode>>> {
    return new Call(() => this.#update(id, patch, options));
  }

  /**
   * Fetches an animal, and changes it by the patch that `change` returns for it, unless somebody else changes
   * it in between: then it starts again, five times at most. Without a patch nothing is changed.
   */
  edit(
    id: Int64Input<Mode>,
    change: (
      pet: Pet<Int64Output<Mode>>,
    ) => MaybePatch<Int64Input<Mode>> | Promise<MaybePatch<Int64Input<Mode>>>,
    options?: CallOptions,
  ): Call<Pet<Int64Output<Mode>>> {
    return new Call(() =>
      edit({
        read: () => this.#get(id, options),
        write: (patch, ifMatch) => this.#update(id, patch, { ...options, ifMatch }),
        change,
      }),
    );
  }

  /** Removes an animal. */
  delete(id: Int64Input<Mode>, options?: ChangeOptions): Call<void> {
    const { ifMatch } = options ?? {};
    return new Call(async () =>
      this.#core.send({ method: 'DELETE', path: pathOf(PATH, id), ifMatch }, options),
    );
  }

  /**
   * Asks the service about its extensions if a name does not plainly contain the text. Only the service knows exactly which
   * accents and forms of characters it ignores.
   * @throws UnsupportedError if the service ignores the filter `name`
   */
  async #checkNames(
    pets: readonly Pet<Int64Output<Mode>>[],
    text = '',
    options?: CallOptions,
  ): Promise<void> {
    const part = text.toLowerCase();
    const isPlain = pets.every(({ name }) => name.toLowerCase().includes(part));
    if (!isPlain && !(await this.#core.askForExtensions(options))) throw ignored('filter name');
  }

  /**
   * @param mayBeOldest whether a single animal may be the first of several: a service that ignores the order sends no
   *   link to the others either
   * @throws UnsupportedError if the service ignores the order
   */
  async #checkDescending(
    pets: readonly Pet<Int64Output<Mode>>[],
    mayBeOldest: boolean,
    options?: CallOptions,
  ): Promise<void> {
    const ids = pets.map(({ id }) => BigInt(id));
    const isDescending = ids.every((id, index) => index === 0 || id < (ids[index - 1] as bigint));
    const isSure = !mayBeOldest || ids.length === 0 || (await this.#core.askForExtensions(options));
    if (!isDescending || !isSure) throw ignored('parameter sort');
  }

  async #get(
    id: Int64Input<Mode>,
    options?: CallOptions,
  ): Promise<WithResponse<Pet<Int64Output<Mode>>>> {
    const request = { method: 'GET', path: PATH, query: toQuery({ id, limit: 1 }) } as const;
    const { data, response } = await this.#core.send<Pet<Int64Output<Mode>>[]>(request, options);
    const [pet] = data;
    if (pet === undefined) {
      const details = { ...response, status: 404, code: 'pet_not_found' };
      throw new ApiError('No animal has this identifier.', details);
    }
    checkFilters(pet, { id: [id] });
    return { data: pet, response };
  }

  async #update(
    id: Int64Input<Mode>,
    patch: PetPatch<Int64Input<Mode>>,
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<WithResponse<Pet<Int64Output<Mode>>>> {
    return this.#core.send(
      { method: 'PATCH', path: pathOf(PATH, id), body: patch, ifMatch },
      options,
    );
  }
}

type MaybePatch<Id> = PetPatch<Id> | undefined;

/** @throws UnsupportedError if an animal is not one that was asked for */
function checkFilters(pet: object, query: object): void {
  const fields = pet as Record<string, unknown>;
  for (const [name, allowed] of Object.entries(query)) {
    const isChecked = (name === 'id' || name === 'categoryId') && allowed !== undefined;
    if (isChecked && ![allowed].flat().some((value) => String(value) === String(fields[name]))) {
      throw ignored(`filter ${name}`);
    }
  }
}

const ignored = (what: string): UnsupportedError =>
  new UnsupportedError(`The service ignores the ${what}: it runs with EXTENSIONS=off.`);
