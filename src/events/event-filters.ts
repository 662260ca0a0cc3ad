import type { FilterValues } from '../http/contract/list-query.ts';
import { z } from '../http/contract/zod.ts';
import { EVENT_TYPES } from './event-types.ts';

/** Values of the filters that can be sent together. */
export const EVENT_FILTER_EXAMPLES = {
  type: ['pet.created', 'pet.updated'],
  subject: 'pets/7',
} as const;

/** A kind of resource, and an id if the event concerns one. An id has one spelling: another would select no event. */
const SUBJECT =
  '^(?:(?:pets|categories)(?:/(?:0|-?[1-9][0-9]{0,18}))?|(?:orders|api-keys|webhook-endpoints)/(?:0|[1-9][0-9]{0,18}))$';

/** The filters of the list of events. Cursors depend on their sequence. */
export const EVENT_FILTERS = {
  type: z
    .array(z.enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` }))
    .max(EVENT_TYPES.length, `must not be given more than ${EVENT_TYPES.length} times`)
    .optional()
    .openapi({
      param: {
        description: 'Returns only the events of one of these types. May be repeated.',
        example: EVENT_FILTER_EXAMPLES.type,
      },
    }),
  subject: z
    .string()
    .regex(
      new RegExp(SUBJECT),
      'must be a resource such as pets/7, orders/4, categories/3 or api-keys/2',
    )
    .optional()
    .openapi({
      maxLength: 40,
      // The source of a RegExp has `\\/`, which other readers refuse.
      pattern: SUBJECT,
      param: {
        description:
          'Returns only the events of this resource, such as `pets/7`, `orders/4`, `categories/3` or `api-keys/2`: its history, even ' +
          'after it was deleted. The subject of an import is `pets` or `categories`.',
        example: EVENT_FILTER_EXAMPLES.subject,
      },
    }),
};
export type EventFilters = FilterValues<typeof EVENT_FILTERS>;
