import { renderExactJson } from '../../src/http/request/exact-json.ts';
import type { ReceivedEvent } from '../support/event-requests.ts';

type Animal = Readonly<Record<string, unknown>>;

/** A copy of the catalogue's animals that only knows what events say. */
export class Mirror {
  readonly animals = new Map<string, Animal>();
  /** What cannot be if every event arrives once, and those of an animal in the order of its changes. */
  readonly problems: string[] = [];

  apply({ id, type, subject, data, previous = {} }: ReceivedEvent): void {
    if (!subject.startsWith('pets/')) return;
    const before = this.animals.get(subject);
    const isNew = type === 'pet.created';
    if (isNew !== (before === undefined)) this.problems.push(`${id}: ${type} of ${subject}`);
    const expected = { ...data, ...previous };
    for (const [field, value] of Object.entries(expected)) {
      if (isNew || before === undefined || (before[field] ?? null) === (value ?? null)) continue;
      this.problems.push(`${id}: ${field} of ${subject} was ${before[field]}, not ${value}`);
    }
    if (type === 'pet.deleted') this.animals.delete(subject);
    else this.animals.set(subject, data);
  }

  /** All animals as lines of JSON, ascending by id. */
  text(): string {
    return catalogueText([...this.animals.values()]);
  }
}

export const catalogueText = (animals: readonly Animal[]): string =>
  animals
    .toSorted((one, other) => Number(one['id']) - Number(other['id']))
    .map((animal) => `${renderExactJson(animal)}\n`)
    .join('');

/**
 * What is wrong with a history: events that are missing, repeated, invented or in another order.
 * @param catalogue the animals now.
 * @param acknowledged the names that changes with a response gave to animals, each once.
 */
export function problemsOf(
  events: readonly ReceivedEvent[],
  catalogue: readonly Animal[],
  acknowledged: Iterable<string> = [],
): string[] {
  const mirror = new Mirror();
  const names = new Map<string, number>();
  let last = 0;
  for (const event of events) {
    const position = Number(event.id.split('-')[1]);
    if (position <= last) mirror.problems.push(`${event.id} follows ${last}`);
    last = position;
    mirror.apply(event);
    if (!/^pet\.(?:created|updated)$/.test(event.type)) continue;
    const name = String(event.data['name']);
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  for (const [name, count] of names)
    if (count > 1 && name.startsWith('change')) mirror.problems.push(`${name} has ${count} events`);
  if (mirror.text() !== catalogueText(catalogue))
    mirror.problems.push('the mirror is not equal to the catalogue');
  for (const name of acknowledged)
    if (!names.has(name)) mirror.problems.push(`${name} has no event`);
  return mirror.problems;
}
