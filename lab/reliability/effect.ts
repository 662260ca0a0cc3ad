import type { Content } from './content.ts';

/** What a command changes in a catalogue, as numbers of rows by table. */
export interface Effect {
  readonly adds?: Readonly<Record<string, number>>;
  readonly changes?: Readonly<Record<string, number>>;
}

/** The highest ids follow from the rows. On PostgreSQL, a transaction that is rolled back also uses ids. */
const DERIVED = 'highest_ids';

/** The tables in which something else happened than an effect, as sentences. */
export function deviations(
  before: Content,
  now: Content,
  { adds = {}, changes = {} }: Effect,
): string[] {
  return Object.keys({ ...before, ...now })
    .filter((part) => part !== DERIVED)
    .flatMap((part) => {
      const [old, current] = [before[part] ?? [], now[part] ?? []];
      const added = current.length - old.length;
      const changed = old.filter((row, index) => row !== current[index]).length;
      const isExpected = added === (adds[part] ?? 0) && changed === (changes[part] ?? 0);
      return isExpected ? [] : [`${part}: ${added} rows added, ${changed} changed`];
    });
}

/** Whether a command had its whole effect on a catalogue, or none. Otherwise the sentences say what is between. */
export function stateAfter(
  before: Content,
  now: Content,
  effect: Effect,
): 'unchanged' | 'complete' | readonly string[] {
  if (deviations(before, now, {}).length === 0) return 'unchanged';
  const problems = deviations(before, now, effect);
  return problems.length === 0 ? 'complete' : problems;
}
