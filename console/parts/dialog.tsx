import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { DialogStatusLine } from './status-line.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The platform's modal dialog: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isOpen, setIsOpen] = useState(false);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    setIsOpen(true);
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else document.querySelector('main')?.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div>
        <header>
          <h2 id={titleId}>{title}</h2>
          <Button look="quiet" small icon="close" onClick={onClose}>
            <span className="visually-hidden">{TEXTS.common.close}</span>
          </Button>
        </header>
        {/* Nothing in a closed dialog can take the focus. */}
        {isOpen && children}
      </div>
      <DialogStatusLine />
    </dialog>
  );
}
