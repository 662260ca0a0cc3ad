import { foldText } from '../../src/fold-text.ts';
import { int64Text } from '../int64.ts';
import { TEXTS } from '../texts.ts';
import { type NamedCategory, useCategoriesFor } from './queries.ts';

interface Match {
  readonly id?: string;
  readonly fault?: string;
}

interface Suggestion {
  readonly category: NamedCategory;
  /** Names this category and no other one. */
  readonly text: string;
}

/** As a search of the service compares names, in every language of the browser. */
const folded = (text: string): string => foldText(text.trim());

/** The texts that name one category each: its name, with the number if the name is not enough. */
export function suggestionsOf(categories: readonly NamedCategory[]): Suggestion[] {
  const counts = new Map<string, number>();
  for (const { name } of categories) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1);
  return categories.map((category) => {
    const { id, name } = category;
    const isClear = counts.get(folded(name)) === 1 && int64Text(name) === undefined;
    return { category, text: isClear ? name : `${name} (${id})` };
  });
}

/** The suggestions whose text contains another one. Those that begin with it come first. */
export function matching(suggestions: readonly Suggestion[], text: string): Suggestion[] {
  const isStart = (suggestion: Suggestion) => folded(suggestion.text).startsWith(folded(text));
  const found = suggestions.filter((suggestion) => folded(suggestion.text).includes(folded(text)));
  return [...found.filter(isStart), ...found.filter((suggestion) => !isStart(suggestion))];
}

/**
 * A number is always the number of a category, which may have no name. The beginning of a name is enough if no other begins so.
 * @param typed the text that is looked up.
 */
export const useCategoryLookup = (typed: string) => lookupIn(useCategoriesFor(typed).categories);

/** @param isWhole the beginning of a name is not enough: nobody sees what it stands for. */
export function lookupIn(categories: readonly NamedCategory[], isWhole = false) {
  const suggestions = suggestionsOf(categories);
  return {
    /** The text by which a category is found: its name, or its number if it has none. */
    textOf: (id: string) => suggestions.find(({ category }) => category.id === id)?.text ?? id,
    find: (text: string): Match => {
      if (text.trim() === '') return { fault: TEXTS.animals.categoryMissing };
      const number = int64Text(text);
      if (number !== undefined) return { id: number };
      if (/^[\s\d+-]+$/.test(text)) return { fault: TEXTS.common.numberRange };
      return findByName(suggestions, folded(text), isWhole);
    },
  };
}

function findByName(suggestions: readonly Suggestion[], name: string, isWhole: boolean): Match {
  const exact = suggestions.find(({ text }) => folded(text) === name);
  if (exact !== undefined) return { id: exact.category.id };
  const begun = suggestions.filter(({ category, text }) =>
    isWhole ? folded(category.name) === name : folded(text).startsWith(name),
  );
  const [first, ...others] = begun;
  if (first === undefined) return { fault: TEXTS.animals.categoryUnknown };
  if (others.length === 0) return { id: first.category.id };
  return { fault: TEXTS.animals.categoryAmbiguous(begun.map(({ text }) => text)) };
}
