import { BETA } from '../http/contract/additions.ts';
import { Int64Text, nameSearch } from '../http/contract/fields.ts';
import type { FilterValues } from '../http/contract/list-query.ts';
import { z } from '../http/contract/zod.ts';
import { PetStatus } from './pet.ts';

const MAX_IDS = 100;

/** Values of the filters that can be sent together. */
export const PET_FILTER_EXAMPLES = {
  status: 'available',
  categoryId: 1,
  id: [1, 2],
  name: 'rex',
} as const;

/** The filters of a list of animals. */
export const PET_FILTERS = {
  status: PetStatus.optional().openapi({
    param: { description: 'Filters by availability.', example: PET_FILTER_EXAMPLES.status },
  }),
  categoryId: Int64Text.optional().openapi({
    param: {
      ...BETA,
      description: 'Returns only the animals of this category.',
      example: PET_FILTER_EXAMPLES.categoryId,
    },
  }),
  id: z
    .array(Int64Text)
    .max(MAX_IDS, `must not be given more than ${MAX_IDS} times`)
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'integer', format: 'int64' },
      maxItems: MAX_IDS,
      param: {
        ...BETA,
        description: 'Returns only the animals with these identifiers. May be repeated.',
        example: PET_FILTER_EXAMPLES.id,
      },
    }),
  name: nameSearch('animals', PET_FILTER_EXAMPLES.name),
};
export type PetFilters = FilterValues<typeof PET_FILTERS>;
