import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { foldText } from '../src/fold-text.ts';
import { goTo, replaceBy } from './address.ts';
import type { ListPage } from './first-page.ts';
import { int64Text } from './int64.ts';
import { TEXTS } from './texts.ts';

/** A person types a key in less time. */
const PAUSE_MS = 200;

/** The most Unicode code points that the service accepts. */
export const MAX_SEARCH_LENGTH = 100;

/** What a typed text looks for. A space at its end belongs to a word that is still being typed. */
export const searchTerm = (text: string): string => text.replaceAll('\0', '').trim();

/** What is wrong with a term, by the rules of the service. */
export function searchFault(term: string): string | undefined {
  if ([...term].length > MAX_SEARCH_LENGTH) return TEXTS.common.searchLong;
  return term !== '' && foldText(term) === '' ? TEXTS.common.searchNothing : undefined;
}

/**
 * The option `placeholderData` of a query whose key has the term at its second place. The page of another term is not kept:
 * a person who types takes what is there for the result.
 */
export const keepSameSearch =
  (term: string | undefined) =>
  <Data>(data: Data, query: { readonly queryKey: readonly unknown[] } | undefined) =>
    query?.queryKey[1] === term ? data : undefined;

interface Options {
  readonly name: string;
  /** The list that the address selects. */
  readonly result: UseQueryResult<ListPage<{ readonly id: string }>>;
  readonly linkOf: (name: string) => string;
}

/** A text that a person types, and the list that follows it. */
export type Search = ReturnType<typeof useSearch>;

/**
 * A search whose term is in the address. The address follows the text after a pause, and the text follows the address when
 * the browser goes back. The pieces of a text that is being typed share one entry of the browser's history.
 */
export function useSearch({ name, result: { data, isPlaceholderData }, linkOf }: Options) {
  const [text, setText] = useState(name);
  const [followed, setFollowed] = useState(name);
  const [leaving, setLeaving] = useState<'go' | 'open'>();
  const made = useRef<string>(undefined);
  const term = searchTerm(text);
  if (followed !== name) {
    setFollowed(name);
    if (term !== name) setText(name);
  }
  const settleOn = (wanted: string) => {
    if (wanted === name) return;
    const isContinued = wanted !== '' && made.current === location.hash;
    if (isContinued) replaceBy(linkOf(wanted));
    else goTo(linkOf(wanted));
    made.current = location.hash;
  };
  const settleLater = useEffectEvent(settleOn);
  useEffect(() => {
    if (term === name) return;
    // The whole list needs no pause: nothing more can be deleted.
    const timer = setTimeout(() => settleLater(term), term === '' ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [term, name]);
  useEffect(() => {
    if (leaving === undefined || !data || isPlaceholderData || term !== name) return;
    setLeaving(undefined);
    const link = document.querySelector<HTMLElement>('.list tbody :is(a, button)');
    if (link) link.focus();
    // A scanner types the next number in the place of one that was not found.
    else (document.activeElement as Partial<HTMLInputElement>).select?.();
    const isMeant = data.data.length === 1 || data.data[0]?.id === int64Text(term);
    if (leaving === 'open' && isMeant) link?.click();
  }, [leaving, data, isPlaceholderData, term, name]);
  const type = (typed: string) => {
    setText(typed);
    setLeaving(undefined);
  };
  const leave = (way: 'go' | 'open') => {
    settleOn(term);
    setLeaving(way);
  };
  return {
    text,
    /** What the text looks for, perhaps before the address has it. */
    term,
    /** What is wrong with the term, once the address has it. */
    fault: term === name ? searchFault(name) : undefined,
    type,
    /** Puts the term into the address now. */
    settle: () => settleOn(term),
    clear: () => {
      type('');
      settleOn('');
    },
    /** Moves the focus to the first result, once the results of the text are shown. */
    goToResults: () => leave('go'),
    /** Also opens the match if the text means nothing else: it is the only match, or has this number. */
    openResult: () => leave('open'),
    /** The next change of the text begins another search. Nothing is opened over what the user does elsewhere. */
    end: () => {
      made.current = undefined;
      setLeaving(undefined);
    },
  };
}
