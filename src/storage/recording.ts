import type { Actor, Cause } from '../events/cause.ts';
import type { EventContent, NewEvent } from '../events/event-store.ts';
import type { EventType } from '../events/event-types.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import type { Int64 } from '../int64.ts';

interface ImportedRange {
  readonly count: number;
  readonly firstId: Int64;
  readonly lastId: Int64;
}

/** Collects the events of one write, in the order of its changes. */
export class Recording {
  readonly events: NewEvent[] = [];
  /** By table and id. */
  readonly #known = new Map<string, Map<Int64, object | undefined>>();

  constructor(readonly cause: Cause) {}

  /** Notes what was read or written last, so that the state before a change is not read twice. Undefined: there is nothing. */
  remember(table: string, id: Int64, resource: object | undefined): void {
    const known = this.#known.get(table);
    if (known) known.set(id, resource);
    else this.#known.set(table, new Map([[id, resource]]));
  }

  /** What is known of a resource, if it was read or written. */
  known(table: string, id: Int64): { readonly resource: object | undefined } | undefined {
    const known = this.#known.get(table);
    return known?.has(id) ? { resource: known.get(id) } : undefined;
  }

  /** Adds the event of an import, unless nothing changed. */
  addImport(collection: 'pets' | 'categories', range: ImportedRange): void {
    if (range.count > 0) this.add(`${collection}.imported`, 0, { data: range });
  }

  forget(table: string, id: Int64): void {
    this.#known.get(table)?.delete(id);
  }

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
