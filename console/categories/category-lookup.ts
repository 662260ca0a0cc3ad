import { int64Text } from '../int64.ts';
import { TEXTS } from '../texts.ts';
import { useCategoryNames } from './queries.ts';

interface Match {
  readonly id?: string;
  /** What is wrong with the text. */
  readonly fault?: string;
}

interface Suggestion {
  readonly id: string;
  /** Names this category and no other one. */
  readonly text: string;
}

const folded = (text: string): string => text.trim().toLocaleLowerCase();

/** The texts that name one category each: its name, with the number if the name is not enough. */
export function suggestionsOf(names: ReadonlyMap<string, string>): Suggestion[] {
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1);
  return [...names].map(([id, name]) => {
    const isClear = counts.get(folded(name)) === 1 && int64Text(name) === undefined;
    return { id, text: isClear ? name : `${name} (${id})` };
  });
}

/** Returns a function that finds the category of a text. A number is always that of the category, also of one without a name. */
export function useCategoryLookup(): (text: string) => Match {
  const names = useCategoryNames();
  return (text) => {
    if (text.trim() === '') return { fault: TEXTS.animals.categoryMissing };
    const number = int64Text(text);
    if (number !== undefined) return { id: number };
    if (/^[\s\d+-]+$/.test(text)) return { fault: TEXTS.common.numberRange };
    const match = suggestionsOf(names).find(
      (suggestion) => folded(suggestion.text) === folded(text),
    );
    if (match !== undefined) return { id: match.id };
    const isName = [...names.values()].some((name) => folded(name) === folded(text));
    return { fault: isName ? TEXTS.animals.categoryAmbiguous : TEXTS.animals.categoryUnknown };
  };
}
