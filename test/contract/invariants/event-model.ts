import { expect } from 'bun:test';
import { essenceOf, type ReceivedEvent } from '../../support/event-requests.ts';
import type { Model } from './model.ts';

type Resource = Readonly<Record<string, unknown>>;

/** The resources of a model, by subject. */
type State = ReadonlyMap<string, Resource>;

type Essence = Omit<ReceivedEvent, 'id' | 'timestamp' | 'actor'>;

const stateOf = ({ pets, categories, orders }: Model): State =>
  new Map<string, Resource>(
    Object.entries({ pets, categories, orders }).flatMap(([collection, resources]) =>
      [...resources.values()].map((one) => [`${collection}/${one.id}`, { ...one }] as const),
    ),
  );

/** The events that the changes of a model must have: the plainest comparison of its states. */
export class EventModel {
  readonly #steps: (readonly Essence[])[] = [];
  #last: State;

  constructor(readonly model: Model) {
    this.#last = stateOf(model);
  }

  /** Called after each step. */
  step(): void {
    const now = stateOf(this.model);
    const subjects = new Set([...this.#last.keys(), ...now.keys()]);
    this.#steps.push(
      [...subjects].flatMap((subject) =>
        changeOf(subject, this.#last.get(subject), now.get(subject)),
      ),
    );
    this.#last = now;
  }

  /** Compares all events but those of keys. The changes of one step may have any order. */
  compare(events: readonly ReceivedEvent[]): void {
    const found = events.filter(({ subject }) => !subject.startsWith('api-keys/'));
    let next = 0;
    for (const expected of this.#steps) {
      const ofStep = found.slice(next, next + expected.length).map(essenceOf);
      expect(sorted(ofStep.map(({ actor, ...event }) => event))).toEqual(sorted(expected));
      next += expected.length;
    }
    expect(found.slice(next)).toEqual([]);
  }
}

const sorted = (events: readonly Essence[]) =>
  events.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));

const TEXTS = ['reference', 'note'];

function changeOf(subject: string, before?: Resource, after?: Resource): Essence[] {
  const kind = { pets: 'pet', categories: 'category', orders: 'order' }[
    subject.split('/')[0] ?? ''
  ];
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = fields.filter((field) => before?.[field] !== after?.[field]);
  if (changed.length === 0) return [];
  const shown = (resource: Resource = {}) =>
    Object.fromEntries(Object.entries(resource).filter(([field]) => !TEXTS.includes(field)));
  const withheld = TEXTS.filter((field) => changed.includes(field));
  const previous = changed
    .filter((field) => !TEXTS.includes(field))
    .map((field) => [field, before?.[field] ?? null]);
  return [
    {
      type: `${kind}.${verbOf(before, after)}`,
      subject,
      data: shown(after ?? before),
      ...(before && after && previous.length > 0 && { previous: Object.fromEntries(previous) }),
      ...(withheld.length > 0 && { withheld }),
    },
  ];
}

function verbOf(before?: Resource, after?: Resource): string {
  const isOrder = 'petId' in (after ?? before ?? {});
  if (isOrder && after && before?.['status'] !== after['status']) return String(after['status']);
  if (before === undefined) return 'created';
  return after === undefined ? 'deleted' : 'updated';
}
