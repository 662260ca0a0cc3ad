import { ApiKeyInEvent } from '../api-keys/api-key-resource.ts';
import { Category } from '../categories/category.ts';
import { toIso } from '../clock.ts';
import { countField, int64Field, KEY_ID, nameField, timeField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import { Order } from '../orders/order.ts';
import { Pet } from '../pets/pet.ts';
import { DamagedEvent, parseContent } from './event-content.ts';
import { EVENT_ID_PATTERN, formatEventId } from './event-id.ts';
import type { ListedEvent } from './event-store.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';

const WORDS = { pattern: '^[a-z -]+$', maxLength: 32 };

const Actor = z
  .object({
    keyId: z
      .int()
      .optional()
      .openapi({ ...KEY_ID, description: 'The id of the API key.' }),
    keyName: nameField('The name of the API key.').optional(),
    command: z
      .string()
      .optional()
      .openapi({ ...WORDS, description: 'The command of an operator.' }),
    user: z
      .string()
      .optional()
      .openapi({ description: 'The user of the operating system who ran the command.' }),
    job: z
      .string()
      .optional()
      .openapi({ ...WORDS, description: 'The job of the service itself.' }),
  })
  .openapi('EventActor', {
    description:
      'Who made the change: an API key (`keyId`, `keyName`), a command (`command`, `user`), or the service (`job`).',
  });

const AFTER = 'after the change. Of a deleted one, before it.';

/** The known types of events about these kinds of resources. */
const typesOf = <Kind extends string>(...kinds: readonly Kind[]) =>
  EVENT_TYPES.filter((type) => kinds.some((kind) => type.startsWith(`${kind}.`))) as [
    Extract<EventType, `${Kind}.${string}`>,
    ...Extract<EventType, `${Kind}.${string}`>[],
  ];

/** An event of one of these types. A type says what `data` is. */
const eventOf = <Type extends EventType, Data extends z.ZodType>(
  types: readonly [Type, ...Type[]],
  data: Data,
) =>
  z.object({
    id: z.string().openapi({
      pattern: EVENT_ID_PATTERN,
      maxLength: 28,
      description: 'Identifies the event and its position. Opaque: its format can change.',
    }),
    type: z.enum(types).openapi({ description: 'What happened.' }),
    subject: z.string().openapi({
      maxLength: 40,
      pattern: '^[a-z-]+(/-?[0-9]+)?$',
      description: 'What changed, such as `pets/7` or `orders/4`.',
    }),
    timestamp: timeField('When it changed.'),
    actor: Actor,
    data,
    previous: z.record(z.string(), z.unknown()).optional().openapi({
      type: 'object',
      additionalProperties: true,
      description: 'The fields that changed, with their values before. Null: the field was absent.',
    }),
  });

const ImportedRange = z.object({
  count: countField('How many were imported.'),
  firstId: int64Field('The smallest id.'),
  lastId: int64Field('The largest id. Others than those that were imported may have ids between.'),
});

/** Not the URL: some contain a secret. */
const DisabledEndpoint = z
  .object({
    id: int64Field('Identifier of the endpoint.'),
    disabledReason: z.string().openapi({
      pattern: '^[a-z_]+$',
      maxLength: 32,
      description: 'Why it is disabled, as in the endpoint.',
    }),
  })
  .openapi({ description: 'The endpoint.' });

export const Event = z
  .discriminatedUnion('type', [
    eventOf(typesOf('pet'), Pet.openapi({ description: `The animal ${AFTER}` })).openapi(
      'PetEvent',
      { description: 'A change of an animal.' },
    ),
    eventOf(
      typesOf('order'),
      Order.openapi({
        description: `The order ${AFTER} It has neither \`reference\` nor \`note\`.`,
      }),
    )
      .extend({
        withheld: z
          .array(z.string().openapi({ maxLength: 16, pattern: '^[A-Za-z]+$' }))
          .max(8)
          .optional()
          .openapi({
            description:
              'The fields that changed and whose values no event contains, because they may name a person.',
          }),
      })
      .openapi('OrderEvent', { description: 'A change of an order.' }),
    eventOf(
      typesOf('category'),
      Category.openapi({ description: `The category ${AFTER}` }),
    ).openapi('CategoryEvent', { description: 'A change of a category.' }),
    eventOf(typesOf('api_key'), ApiKeyInEvent).openapi('ApiKeyEvent', {
      description: 'A change of an API key.',
    }),
    eventOf(typesOf('webhook_endpoint'), DisabledEndpoint).openapi('WebhookEndpointEvent', {
      description: 'The service disabled a webhook endpoint, or a client did.',
    }),
    eventOf(
      typesOf('pets', 'categories'),
      ImportedRange.openapi({ description: 'What was imported.' }),
    ).openapi('ImportEvent', { description: 'An import of animals or categories.' }),
  ])
  .openapi('StoreEvent', {
    description:
      'A change of the store. `type` says what `data` is. A later version may add types: ignore an event whose type you do not know, or ' +
      'name those that you know in the parameter `type`.',
  });

type StoreEvent = z.output<typeof Event>;

/** An event as JSON. @throws DamagedEvent if it cannot be read. */
export function describeEvent(event: ListedEvent, generation: string): StoreEvent {
  const { id: position, type, subject, at, keyId, keyName } = event;
  const id = formatEventId({ generation, position });
  const damaged = (reason: string) =>
    new DamagedEvent(`The event ${id} (${type} of ${subject}) is damaged: ${reason}.`);
  if (Number.isNaN(new Date(at).getTime())) throw damaged('its time is impossible');
  const parsed = parseContent(event.content);
  if (parsed === undefined) throw damaged('its content is not the JSON of an event');
  const { actor, data, previous, withheld } = parsed;
  const described = {
    id,
    type,
    subject,
    timestamp: toIso(at),
    actor: actor ?? { keyId: keyId ?? 0, ...(keyName !== null && { keyName }) },
    data,
    ...(previous && { previous }),
    ...(withheld && { withheld }),
  };
  // The type and the data are as they were stored, perhaps by a later version.
  return described as StoreEvent;
}
