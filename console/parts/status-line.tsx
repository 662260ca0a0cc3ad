import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { useOpenDialogs } from './open-dialogs.ts';

const SHOWN_MS = 5000;
/** A person reads the message before they decide. */
const SHOWN_WITH_ACTION_MS = 10_000;

/** What the user can do about a message: something, or go somewhere. */
type Action = { readonly label: string } & (
  | { readonly onAct: () => void }
  | { readonly href: string }
);

interface Message {
  readonly text: ReactNode;
  readonly action?: Action | undefined;
  readonly count: number;
}

const NOTHING: Message = { text: '', count: 0 };

type Announcer = (text: ReactNode, action?: Action) => void;

const Announce = createContext<Announcer>(() => {});

interface Shown {
  readonly message: Message;
  readonly hide: () => void;
  /** Keeps the message while the user is at it. */
  readonly hold: (isHeld: boolean) => void;
}

const SHOWN_NOTHING: Shown = { message: NOTHING, hide: () => {}, hold: () => {} };

/** The message for the dialogs, which hide the rest of the page from screen readers while they are open. */
const InDialog = createContext(SHOWN_NOTHING);

/** Shows what was done for some seconds, perhaps with an action, and says it to screen readers. */
export const useAnnounce = () => useContext(Announce);

/** Says what was done, and closes the dialog that did it. */
export function useDone(onClose: () => void): Announcer {
  const announce = useAnnounce();
  return (...message) => {
    announce(...message);
    onClose();
  };
}

export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState(NOTHING);
  const [isHeld, hold] = useState(false);
  const dialogs = useOpenDialogs();
  const announce = useCallback<Announcer>((text, action) => {
    hold(false);
    setMessage(({ count }) => ({ text, action, count: count + 1 }));
  }, []);
  const hide = () => announce('');
  useEffect(() => {
    if (message.text === '' || isHeld) return;
    const shownMs = message.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS;
    const timer = setTimeout(() => announce(''), shownMs);
    return () => clearTimeout(timer);
  }, [message, isHeld, announce]);
  // The message is elsewhere then, and no pointer has left it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each dialog has a place for it
  useEffect(() => hold(false), [dialogs]);
  const shown = { message, hide, hold };
  return (
    <Announce value={announce}>
      <InDialog value={shown}>{children}</InDialog>
      <Line {...(dialogs > 0 ? SHOWN_NOTHING : shown)} />
    </Announce>
  );
}

export const DialogStatusLine = () => <Line {...useContext(InDialog)} />;

function Line({ message: { text, action, count }, hide, hold }: Shown) {
  const act = () => {
    // The message takes the focus with it.
    document.querySelector('main')?.focus({ preventScroll: true });
    hide();
    if (action && 'onAct' in action) action.onAct();
  };
  return (
    <div className="status-line" role="status">
      {text && (
        <p
          key={count}
          onMouseEnter={() => hold(true)}
          onMouseLeave={() => hold(false)}
          onFocus={() => hold(true)}
          onBlur={() => hold(false)}
        >
          <span>{text}</span>
          {action && 'href' in action && (
            <a className="button link" href={action.href} onClick={act}>
              {action.label}
            </a>
          )}
          {action && 'onAct' in action && (
            <Button look="link" onClick={act}>
              {action.label}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
