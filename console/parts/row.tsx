import type { MouseEvent, ReactNode } from 'react';

interface Props {
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

/** What does something itself. */
const ACTIVE = 'a, button, input, label';

/** A row that a click anywhere opens, unless the click ends a selection of text. A button in it does the same for the keyboard. */
export function Row({ onOpen, children }: Props) {
  const onClick = ({ target, currentTarget }: MouseEvent) => {
    const isActive = (target as Element).closest(ACTIVE) !== null;
    if (isActive || getSelection()?.isCollapsed === false) return;
    // It gets the focus back from what is opened.
    currentTarget.querySelector('button')?.focus();
    onOpen();
  };
  return (
    <tr className="row opens" onClick={onClick}>
      {children}
    </tr>
  );
}
