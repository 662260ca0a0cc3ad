import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { Button } from './button.tsx';

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
const InDialog = createContext({ shown: SHOWN_NOTHING, enter: (): (() => void) => () => {} });

/** Shows what was done for some seconds, perhaps with an action, and says it to screen readers. */
export const useAnnounce = () => useContext(Announce);

export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState(NOTHING);
  const [isHeld, hold] = useState(false);
  const [openDialogs, setOpenDialogs] = useState(0);
  const announce = useCallback<Announcer>((text, action) => {
    hold(false);
    setMessage(({ count }) => ({ text, action, count: count + 1 }));
  }, []);
  const hide = useCallback(() => announce(''), [announce]);
  const enter = useCallback(() => {
    setOpenDialogs((count) => count + 1);
    return () => setOpenDialogs((count) => count - 1);
  }, []);
  useEffect(() => {
    if (message.text === '' || isHeld) return;
    const timer = setTimeout(hide, message.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [message, isHeld, hide]);
  const shown = useMemo(() => ({ message, hide, hold }), [message, hide]);
  const inDialog = useMemo(() => ({ shown, enter }), [shown, enter]);
  return (
    <Announce value={announce}>
      <InDialog value={inDialog}>{children}</InDialog>
      <Line {...(openDialogs === 0 ? shown : SHOWN_NOTHING)} />
    </Announce>
  );
}

/** The status line of an open dialog. */
export function DialogStatusLine() {
  const { shown, enter } = useContext(InDialog);
  useEffect(enter, [enter]);
  return <Line {...shown} />;
}

function Line({ message: { text, action, count }, hide, hold }: Shown) {
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
          {action && <MessageAction action={action} onDone={hide} />}
        </p>
      )}
    </div>
  );
}

interface ActionProps {
  readonly action: Action;
  readonly onDone: () => void;
}

function MessageAction({ action, onDone }: ActionProps) {
  const finish = () => {
    // The message takes the focus with it.
    document.querySelector('main')?.focus({ preventScroll: true });
    onDone();
  };
  if ('href' in action) {
    return (
      <a className="button link" href={action.href} onClick={finish}>
        {action.label}
      </a>
    );
  }
  const act = () => {
    finish();
    action.onAct();
  };
  return (
    <Button look="link" onClick={act}>
      {action.label}
    </Button>
  );
}
