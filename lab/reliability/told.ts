import type { ReceivedEvent } from '../../test/support/event-requests.ts';

/** The JSON of a resource, as a response has it. */
export type Resource = Readonly<Record<string, unknown>> & { readonly id: number };

interface Addition {
  readonly touches: readonly string[];
  readonly adds?: readonly [name: string, count: number];
}

/** What clients know from responses. */
export class Told {
  /** The last state of resources by the subject of their events, such as `pets/7`. Undefined: removed. */
  readonly resources = new Map<string, Resource | undefined>();
  /** How many changes of a resource were acknowledged. */
  readonly changes = new Map<string, number>();
  /** The resources that a change without a response may have changed. */
  readonly doubtful = new Set<string>();
  /** The number of animals that requests added with a name, and whether there was a response. */
  readonly names = new Map<string, { readonly count: number; readonly isCertain: boolean }>();
  readonly refused: string[] = [];
  acknowledged = 0;

  /** @param events the events that the change has at least. */
  state(subject: string, resource: Resource | undefined, events = 1): void {
    this.resources.set(subject, resource);
    this.changes.set(subject, (this.changes.get(subject) ?? 0) + events);
  }

  doubt({ touches, adds }: Addition): void {
    for (const subject of touches) this.doubtful.add(subject);
    if (adds) this.names.set(adds[0], { count: adds[1], isCertain: false });
  }

  confirm({ touches, adds }: Addition): void {
    this.acknowledged += 1;
    for (const subject of touches) this.doubtful.delete(subject);
    if (adds) this.names.set(adds[0], { count: adds[1], isCertain: true });
  }

  /**
   * What contradicts the responses, as sentences.
   * @param stored all resources by subject.
   * @param events all events.
   */
  contradictions(
    stored: ReadonlyMap<string, Resource>,
    events: readonly ReceivedEvent[],
  ): string[] {
    return [
      ...this.#wrongStates(stored),
      ...this.#wrongNames(events),
      ...this.#missingEvents(events),
      ...historyProblems(stored, events),
      ...repeatedReferences(stored),
    ];
  }

  /** What contradicts the responses, without the events. */
  #wrongStates(stored: ReadonlyMap<string, Resource>): string[] {
    const wrong: string[] = [...this.refused];
    for (const [subject, resource] of this.resources) {
      if (this.doubtful.has(subject) || Bun.deepEquals(stored.get(subject), resource)) continue;
      const is = JSON.stringify(stored.get(subject)) ?? 'missing';
      wrong.push(`${subject} is ${is}, acknowledged was ${JSON.stringify(resource) ?? 'its end'}`);
    }
    return wrong;
  }

  /** Additions that are there in part, twice, or never sent. */
  #wrongNames(events: readonly ReceivedEvent[]): string[] {
    const added = new Map<string, number>();
    for (const { type, data } of events) {
      if (type !== 'pet.created') continue;
      const name = String(data['name']);
      added.set(name, (added.get(name) ?? 0) + 1);
    }
    const wrong: string[] = [];
    for (const [name, found] of added)
      if (!this.names.has(name)) wrong.push(`${found} animals "${name}" were never sent`);
    for (const [name, { count, isCertain }] of this.names) {
      const found = added.get(name) ?? 0;
      if (found !== count && (isCertain || found !== 0))
        wrong.push(`${found} animals "${name}" were added instead of ${count}`);
    }
    return wrong;
  }

  #missingEvents(events: readonly ReceivedEvent[]): string[] {
    const found = Map.groupBy(events, ({ subject }) => subject);
    return [...this.changes]
      .filter(([subject, count]) => (found.get(subject)?.length ?? 0) < count)
      .map(([subject]) => `an event of ${subject} is missing`);
  }
}

/** A resource without the fields that events do not have. */
const withoutPrivate = ({ reference, note, ...rest }: Resource): object => rest;

/** Whether the events lead to what is stored, one after another. */
function historyProblems(
  stored: ReadonlyMap<string, Resource>,
  events: readonly ReceivedEvent[],
): string[] {
  const problems: string[] = [];
  const states = new Map<string, ReceivedEvent['data']>();
  for (const event of events) {
    problems.push(...gapsBefore(event, states.get(event.subject)));
    if (event.type.endsWith('.deleted')) states.delete(event.subject);
    else states.set(event.subject, event.data);
  }
  for (const subject of new Set([...states.keys(), ...stored.keys()])) {
    if (subject.startsWith('api-keys/')) continue;
    const resource = stored.get(subject);
    const isSame = Bun.deepEquals(states.get(subject), resource && withoutPrivate(resource));
    if (!isSame) problems.push(`the last event of ${subject} is not its state`);
  }
  return problems;
}

/** The fields that an event says were different before. */
const gapsBefore = (
  { id, subject, previous = {} }: ReceivedEvent,
  before: ReceivedEvent['data'] | undefined,
): string[] =>
  Object.entries(previous)
    .filter(([field, value]) => before !== undefined && (before[field] ?? null) !== value)
    .map(([field, value]) => `event ${id}: ${field} of ${subject} was not ${value}`);

/** Each order has a reference of its own. */
function repeatedReferences(stored: ReadonlyMap<string, Resource>): string[] {
  const references = [...stored.values()].flatMap(({ reference }) => reference ?? []);
  const repeated = references.filter((one, index) => references.indexOf(one) !== index);
  return repeated.map((reference) => `two orders have the reference ${reference}`);
}
