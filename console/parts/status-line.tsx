import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';

const SHOWN_MS = 5000;

interface Message {
  readonly text: ReactNode;
  readonly count: number;
}

const NOTHING: Message = { text: '', count: 0 };

const Announce = createContext<(text: ReactNode) => void>(() => {});

/** The message for the dialogs, which hide the rest of the page from screen readers while they are open. */
const InDialog = createContext({ message: NOTHING, enter: (): (() => void) => () => {} });

/** Shows what was done for some seconds, and says it to screen readers. */
export const useAnnounce = () => useContext(Announce);

export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState(NOTHING);
  const [openDialogs, setOpenDialogs] = useState(0);
  const announce = useCallback(
    (text: ReactNode) => setMessage(({ count }) => ({ text, count: count + 1 })),
    [],
  );
  const enter = useCallback(() => {
    setOpenDialogs((count) => count + 1);
    return () => setOpenDialogs((count) => count - 1);
  }, []);
  useEffect(() => {
    if (message.text === '') return;
    const timer = setTimeout(() => setMessage(({ count }) => ({ text: '', count })), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [message]);
  const inDialog = useMemo(() => ({ message, enter }), [message, enter]);
  return (
    <Announce value={announce}>
      <InDialog value={inDialog}>{children}</InDialog>
      <Line message={openDialogs === 0 ? message : NOTHING} />
    </Announce>
  );
}

/** The status line of an open dialog. */
export function DialogStatusLine() {
  const { message, enter } = useContext(InDialog);
  useEffect(enter, [enter]);
  return <Line message={message} />;
}

function Line({ message }: { readonly message: Message }) {
  return (
    <div className="status-line" role="status">
      {message.text && <p key={message.count}>{message.text}</p>}
    </div>
  );
}
