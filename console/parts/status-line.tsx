import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

const SHOWN_MS = 5000;

const Announce = createContext<(text: string) => void>(() => {});

/** Shows what was done for some seconds, and says it to screen readers. */
export const useAnnounce = () => useContext(Announce);

export function StatusLine({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState({ text: '', count: 0 });
  const announce = useCallback(
    (text: string) => setShown(({ count }) => ({ text, count: count + 1 })),
    [],
  );
  useEffect(() => {
    if (shown.text === '') return;
    const timer = setTimeout(() => setShown(({ count }) => ({ text: '', count })), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <Announce value={announce}>
      {children}
      <div className="status-line" role="status">
        {shown.text && <p key={shown.count}>{shown.text}</p>}
      </div>
    </Announce>
  );
}
