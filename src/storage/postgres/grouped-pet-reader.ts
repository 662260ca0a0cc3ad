import { filtersText } from '../../filters.ts';
import type { Int64 } from '../../int64.ts';
import type { Pet } from '../../pets/pet.ts';
import type { PetFilters } from '../../pets/pet-filters.ts';
import { type PetRow, toPet } from '../rows.ts';
import { arrayOf } from './page-query.ts';
import { PostgresPetStore, SELECT_PETS } from './pet-store.ts';
import { together } from './together.ts';
import type { Run } from './transactions.ts';

interface PageQuestion {
  readonly filters: PetFilters;
  readonly afterId: Int64 | undefined;
  readonly count: number;
}

/** Several statements are under way at once: the server works on one part while another is read here. */
const MOST_PAGES = 8;

/**
 * Reads outside of transactions. Animals, or pages of one list, that are asked for at the same moment
 * are read by one statement: most of what one takes is its way through the driver and back. With 32
 * connections 1.3 times as many of either are answered.
 */
export class GroupedPetReader extends PostgresPetStore {
  readonly #getTogether = together<Int64, Pet | undefined>({
    kindOf: () => '',
    most: Number.POSITIVE_INFINITY,
    answer: (ids) => this.#getAll(ids),
  });

  readonly #listTogether = together<PageQuestion, Pet[]>({
    kindOf: ({ filters, count }) => `${count}${filtersText(filters)}`,
    most: MOST_PAGES,
    answer: (questions) => {
      const [{ filters, count }] = questions as [PageQuestion];
      return this.listPages(
        filters,
        questions.map(({ afterId }) => afterId),
        count,
      );
    },
  });

  constructor(run: Run) {
    super(run, '');
  }

  override get(id: Int64): Promise<Pet | undefined> {
    return this.#getTogether(id);
  }

  override list(filters: PetFilters, afterId: Int64 | undefined, count: number): Promise<Pet[]> {
    return this.#listTogether({ filters, afterId, count });
  }

  async #getAll(ids: readonly Int64[]): Promise<(Pet | undefined)[]> {
    const rows = await this.run<PetRow>(`${SELECT_PETS} WHERE id = ANY($1::bigint[])`, [
      arrayOf([...new Set(ids)]),
    ]);
    const found = new Map(rows.map((row) => [row.id, toPet(row)]));
    return ids.map((id) => found.get(id));
  }
}
