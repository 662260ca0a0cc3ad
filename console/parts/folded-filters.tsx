import { type ReactNode, useId, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

interface Props {
  readonly active: number;
  /** One of them is not valid: they are shown, so that it can be corrected. */
  readonly isFaulty: boolean;
  readonly children: ReactNode;
}

/** Filters that a small window shows only on demand, so that it has room for the list. */
export function FoldedFilters({ active, isFaulty, children }: Props) {
  const id = useId();
  const [isUnfolded, setIsUnfolded] = useState(false);
  const isOpen = isUnfolded || isFaulty;
  return (
    <>
      <Button
        look="quiet"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsUnfolded(!isOpen)}
      >
        {TEXTS.common.filters(active)}
      </Button>
      <div className={isOpen ? 'folded open' : 'folded'} id={id}>
        {children}
      </div>
    </>
  );
}
