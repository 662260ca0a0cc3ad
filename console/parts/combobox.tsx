import { type KeyboardEvent, useContext, useId, useRef, useState } from 'react';
import { IsFixed, TextField, type TextFieldProps } from './field.tsx';
import { Name } from './named.tsx';
import { reveal } from './notices.tsx';

export interface Option {
  readonly id: string;
  /** What the field contains if this option is chosen. */
  readonly text: string;
  /** What the list shows in the place of the text. */
  readonly label?: string;
}

interface Props extends TextFieldProps {
  readonly value: string;
  readonly listLabel: string;
  readonly options: readonly Option[];
  readonly onType: (text: string) => void;
  readonly onChoose: (option: Option) => void;
  readonly onLeave: () => void;
}

/**
 * A text field with a list of suggestions: the pattern "Editable Combobox With List Autocomplete" of the ARIA Authoring Practices.
 * Without a marked option, Enter submits the form with the text as it is.
 */
export function Combobox({ listLabel, options, onType, onChoose, onLeave, ...field }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [markedId, setMarkedId] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const isFixed = useContext(IsFixed);
  const isShown = isOpen && !isFixed && options.length > 0;
  const marked = isShown ? options.findIndex(({ id }) => id === markedId) : -1;
  const optionId = (index: number) => `${listId}-${index}`;
  const close = () => {
    setIsOpen(false);
    setMarkedId(undefined);
  };
  const choose = (option: Option) => {
    enter(input.current, option.text);
    onChoose(option);
    close();
  };
  const move = (step: 1 | -1) => {
    setIsOpen(true);
    const from = marked === -1 && step === -1 ? 0 : marked;
    setMarkedId(options.at((from + step + options.length) % options.length)?.id);
  };
  const handle = (key: string): boolean => {
    const option = options[marked];
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' && option !== undefined) choose(option);
    else if (key === 'Escape' && isShown) close();
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The input method of a script uses these keys, too.
    if (isFixed || event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && marked === -1) close();
    if (!handle(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="combobox">
      <TextField
        {...field}
        ref={input}
        dir="auto"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={marked === -1 ? undefined : optionId(marked)}
        onChange={({ target }) => {
          onType(target.value);
          setMarkedId(undefined);
          setIsOpen(true);
        }}
        onClick={() => setIsOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          close();
          onLeave();
        }}
      />
      {isShown && (
        <ul
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the role of the pattern
          role="listbox"
          id={listId}
          aria-label={listLabel}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <li
              key={option.id}
              ref={index === marked ? reveal : undefined}
              id={optionId(index)}
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the role of the pattern
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              onClick={() => choose(option)}
            >
              <Name>{option.label ?? option.text}</Name>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Replaces the text as if it were typed: the form and the dialog around the field notice the edit. */
function enter(field: HTMLInputElement | null, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
  set?.call(field, text);
  field?.dispatchEvent(new Event('input', { bubbles: true }));
}
