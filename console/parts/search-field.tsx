import { type ComponentProps, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { MAX_SEARCH_LENGTH, type Search } from '../search.ts';
import { TEXTS } from '../texts.ts';
import { TextField } from './field.tsx';

interface Props {
  readonly search: Search;
  readonly hint: string;
}

/** Searches a list while the text is typed. Escape empties it, the arrow down leads to the first result, and Enter opens the one that is meant. */
export function SearchField({ search, hint }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    // The input method of a script uses these keys, too.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && search.text !== '') search.clear();
    else if (event.key === 'ArrowDown') search.goToResults();
    else if (event.key === 'Enter' && search.term !== '') search.openResult();
    else return;
    event.preventDefault();
  };
  return (
    <SearchInput
      placeholder={hint}
      value={search.text}
      onChange={(event) => search.type(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={search.end}
      fault={search.fault}
    />
  );
}

export function SearchInput(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  const field = useRef<HTMLInputElement>(null);
  useTypedText(field);
  return (
    <TextField
      ref={field}
      label={TEXTS.common.search}
      type="search"
      dir="auto"
      enterKeyHint="search"
      spellCheck={false}
      // In UTF-16, so never too long for the service.
      maxLength={MAX_SEARCH_LENGTH}
      title={TEXTS.common.searchKey}
      aria-keyshortcuts={KEY}
      {...props}
    />
  );
}

/** Leads to the field, and is no text of it. */
const KEY = '/';

/** Fields in which a key is text. */
const TYPED = 'input:not([type=radio], [type=checkbox]), textarea';

/** A text that is typed outside of fields goes to the field. A person who looks at the customer types so, or a scanner. */
function useTypedText(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, altKey, metaKey, target } = event;
      const isText = [...key].length === 1 && key !== ' ';
      if (!isText || ctrlKey || altKey || metaKey || event.defaultPrevented) return;
      if (target instanceof Element && target.matches(TYPED)) return;
      field.current?.focus();
      // An open dialog keeps the focus.
      if (document.activeElement !== field.current) return;
      field.current?.select();
      if (key === KEY) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [field]);
}
