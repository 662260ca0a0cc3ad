import { toIso } from '../clock.ts';
import { countField, int64Field, KEY_ID, timeField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import { DamagedEvent, parseContent } from './event-content.ts';
import { EVENT_ID_PATTERN, formatEventId } from './event-id.ts';
import type { ListedEvent } from './event-store.ts';
import { EVENT_TYPES } from './event-types.ts';

const Actor = z
  .object({
    keyId: z
      .int()
      .optional()
      .openapi({ ...KEY_ID, description: 'The id of the API key.' }),
    keyName: z.string().optional().openapi({ description: 'The name of the API key.' }),
    command: z.string().optional().openapi({ description: 'The command of an operator.' }),
    user: z
      .string()
      .optional()
      .openapi({ description: 'The user of the operating system who ran the command.' }),
    job: z.string().optional().openapi({ description: 'The job of the service itself.' }),
  })
  .openapi('EventActor', {
    description:
      'Who made the change: an API key (`keyId`, `keyName`), a command (`command`, `user`), or the service (`job`).',
  });

/** What a resource is follows from the type of the event, so only an import has fields here. */
const anyData = z.looseObject({
  count: countField('Of an import: how many were imported.').optional(),
  firstId: int64Field('Of an import: the smallest id.').optional(),
  lastId: int64Field(
    'Of an import: the largest id. Others than those that were imported may have ids between.',
  ).optional(),
});

export const Event = z
  .object({
    id: z.string().openapi({
      pattern: EVENT_ID_PATTERN,
      maxLength: 28,
      description: 'Identifies the event and its position. Opaque: its format can change.',
    }),
    type: z.union([z.enum(EVENT_TYPES), z.string().openapi({ maxLength: 64 })]).openapi({
      description: 'What happened: one of the known types, or one that a later version adds.',
    }),
    subject: z
      .string()
      .openapi({ maxLength: 32, description: 'What changed, such as `pets/7` or `orders/4`.' }),
    timestamp: timeField('When it changed.'),
    actor: Actor,
    data: anyData.openapi({
      additionalProperties: true,
      description:
        'The resource after the change. Of a deleted one, before it. An order has neither `reference` nor `note`, an API key neither ' +
        '`hint` nor `lastUsedAt`.',
    }),
    previous: z.record(z.string(), z.unknown()).optional().openapi({
      type: 'object',
      additionalProperties: true,
      description: 'The fields that changed, with their values before. Null: the field was absent.',
    }),
    withheld: z.array(z.string()).max(8).optional().openapi({
      description:
        'The fields that changed and whose values no event contains, because they may name a person.',
    }),
  })
  .openapi('StoreEvent', { description: 'A change of the store.' });

/** What is stored as JSON, as it is sent. */
type Content = Pick<z.output<typeof Event>, 'data' | 'previous' | 'withheld'> & {
  readonly actor?: z.output<typeof Actor>;
};

/** An event as JSON. @throws DamagedEvent if it cannot be read. */
export function describeEvent(event: ListedEvent, generation: string): z.output<typeof Event> {
  const { id: position, type, subject, at, keyId, keyName } = event;
  const id = formatEventId({ generation, position });
  const damaged = (reason: string) =>
    new DamagedEvent(`The event ${id} (${type} of ${subject}) is damaged: ${reason}.`);
  if (Number.isNaN(new Date(at).getTime())) throw damaged('its time is impossible');
  const parsed = parseContent(event.content);
  if (parsed === undefined) throw damaged('its content is not the JSON of an event');
  const { actor, data, previous, withheld } = parsed as Content;
  return {
    id,
    type,
    subject,
    timestamp: toIso(at),
    actor: actor ?? { keyId: keyId ?? 0, ...(keyName !== null && { keyName }) },
    data,
    ...(previous && { previous }),
    ...(withheld && { withheld }),
  };
}
