/**
 * A name that people have chosen. It may contain characters that turn the direction of text, and these must not affect
 * what is beside it.
 */
export const Name = ({ children }: { readonly children: string }) => (
  <bdi className="name-text" title={children}>
    {balance(children)}
  </bdi>
);

export const Note = ({ children }: { readonly children: string }) => (
  <p className="note" dir="auto">
    {children}
  </p>
);

/** Isolates, their end, and what ends a paragraph, by the Unicode Bidirectional Algorithm. */
const BOUNDARIES = /[\u2066-\u2069\p{Zl}\p{Zp}\p{Cc}]/gu;
const ISOLATES = '\u2066\u2067\u2068';
const END = '\u2069';

/** Makes each isolate end in the name in which it begins. The browser would end the name of the element instead. */
function balance(name: string): string {
  let depth = 0;
  const balanced = name.replace(BOUNDARIES, (character) => {
    if (ISOLATES.includes(character)) depth += 1;
    else if (character !== END) return ' ';
    else if (depth === 0) return '';
    else depth -= 1;
    return character;
  });
  return balanced + END.repeat(depth);
}

/** A character that no text of the console contains. */
const PLACE = '\uFFFC';

interface Props {
  readonly text: (name: string) => string;
  readonly name: string;
}

export function Named({ text, name }: Props) {
  const [before, after] = text(PLACE).split(PLACE);
  return (
    <>
      {before}
      <Name>{name}</Name>
      {after}
    </>
  );
}
