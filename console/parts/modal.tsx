import {
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useIsPending } from '../pending.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import './dialog-history.ts';
import { useIsTopmost } from './open-dialogs.ts';
import { DialogStatusLine } from './status-line.tsx';
import { WaitNotice } from './wait-notice.tsx';

interface Props {
  readonly title: ReactNode;
  /** The user wants to leave: by Escape, by the button, or by the browser's Back. */
  readonly onLeave: () => void;
  readonly isQuestion?: boolean;
  readonly children: ReactNode;
}

/** What had the focus before the dialogs that are being closed, which may be several at once. */
const openers: (Element | null)[] = [];

/** Gives the focus to the first one that is still there. */
function giveFocusBack(opener: Element | null): void {
  if (opener instanceof HTMLElement) opener.focus();
  openers.push(opener);
  queueMicrotask(() => {
    const elements = [...openers.splice(0), document.querySelector('main')];
    for (const element of elements) {
      if (document.activeElement !== document.body) return;
      if (element instanceof HTMLElement && element.isConnected) element.focus();
    }
  });
}

/** The platform's modal dialog: it holds the focus, and gives it back. It stays open while a change is pending. */
export function Modal({ title, onLeave, isQuestion, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isOpen, setIsOpen] = useState(false);
  const latest = useRef(onLeave);
  const isReleased = useRef(false);
  const isBusy = useIsPending();
  const leave = isBusy ? () => {} : onLeave;
  useEffect(() => {
    latest.current = leave;
  });
  const isTopmost = useIsTopmost(latest);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    setIsOpen(true);
    return () => {
      dialog?.close();
      giveFocusBack(opener);
    };
  }, []);
  /** What opened the dialog is for nothing in it: the second click of a double click, and a key that is held. */
  const ignoreOpener = (event: SyntheticEvent, isAnother: boolean) => {
    isReleased.current ||= isAnother;
    if (isReleased.current) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // React passes events of a dialog to the dialog below it.
    event.stopPropagation();
    ignoreOpener(event, !event.repeat);
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    leave();
  };
  return createPortal(
    <dialog
      ref={ref}
      className={isQuestion ? 'question' : undefined}
      aria-labelledby={titleId}
      aria-busy={isBusy}
      onKeyDown={onKeyDown}
      onClickCapture={(event) => ignoreOpener(event, event.detail < 2)}
      // An edit in a dialog is no edit of the dialog below it.
      onChange={(event) => event.stopPropagation()}
      // A click is no click on the row that opened the dialog.
      onClick={(event) => event.stopPropagation()}
      // A gesture of a phone. The browser closes the dialog at the second one whatever the page says.
      onCancel={(event) => {
        // A file field says so, too, if no other file was chosen.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        leave();
      }}
      onClose={() => ref.current?.showModal()}
    >
      <div>
        <header>
          <h2 id={titleId}>{title}</h2>
          <Button look="quiet" small icon="close" isBusy={isBusy} onClick={leave}>
            <span className="visually-hidden">{TEXTS.common.close}</span>
          </Button>
        </header>
        {/* Nothing in a closed dialog can take the focus. */}
        {isOpen && children}
        {isTopmost && <WaitNotice />}
      </div>
      <DialogStatusLine />
    </dialog>,
    document.body,
  );
}
