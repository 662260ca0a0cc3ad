import type { Actor, Cause } from '../../events/cause.ts';
import type { EventContent, NewEvent } from '../../events/event-store.ts';
import type { EventType } from '../../events/event-types.ts';
import { renderExactJson } from '../../http/request/exact-json.ts';
import type { Int64 } from '../../int64.ts';

/** Collects the events of one write, in the order of its changes. */
export class Recording {
  readonly events: NewEvent[] = [];

  constructor(readonly cause: Cause) {}

  /** @param actor who made the change, if it was not the cause of the write. */
  add(
    type: EventType,
    resourceId: Int64,
    content: EventContent,
    actor: Actor = this.cause.actor,
  ): void {
    this.events.push(eventOf(type, resourceId, content, { actor, at: this.cause.at }));
  }
}

export function eventOf(
  type: EventType,
  resourceId: Int64,
  content: EventContent,
  { actor, at }: Cause,
): NewEvent {
  const what = { type, resourceId, at };
  return 'keyId' in actor
    ? { ...what, keyId: actor.keyId, content: renderExactJson(content) }
    : { ...what, keyId: null, content: renderExactJson({ actor, ...content }) };
}

/** The event of an import. Undefined if nothing changed. */
export function importEventOf(
  collection: 'pets' | 'categories',
  { count, firstId, lastId }: { count: number; firstId: Int64; lastId: Int64 },
  cause: Cause,
): NewEvent | undefined {
  if (count === 0) return undefined;
  return eventOf(`${collection}.imported`, 0, { data: { count, firstId, lastId } }, cause);
}

/** The changed fields of a resource with their values before; null: absent. Undefined if no field changed. */
export function previousOf<Resource extends object>(
  before: Resource,
  after: Resource,
): Record<string, unknown> | undefined {
  const old = before as Readonly<Record<string, unknown>>;
  const current = after as Readonly<Record<string, unknown>>;
  let previous: Record<string, unknown> | undefined;
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (old[field] === current[field]) continue;
    previous ??= {};
    previous[field] = old[field] ?? null;
  }
  return previous;
}
