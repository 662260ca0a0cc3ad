import { type ReactNode, useId, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

interface Props {
  /** How many of these filters are set. */
  readonly active: number;
  readonly children: ReactNode;
}

/** Filters that a small window shows only on demand, so that it has room for the list. */
export function FoldedFilters({ active, children }: Props) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        look="quiet"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {TEXTS.common.filters(active)}
      </Button>
      <div className={isOpen ? 'folded open' : 'folded'} id={id}>
        {children}
      </div>
    </>
  );
}
