import { QueryClientProvider } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import type { CurrentApiKey, IssuedApiKey, Scope } from '../sdk/src/index.ts';
import { isRefusedKey } from './failures.ts';
import { keepKey, keptKey } from './kept-key.ts';
import { Loading } from './parts/notices.tsx';
import { useAnnounce } from './parts/status-line.tsx';
import { NotConnected, SignIn } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { type Credential, createQueries, createStore, type Store } from './store.ts';
import { tellTabs } from './tabs.ts';
import { useOtherTabs } from './use-other-tabs.ts';

export interface Session {
  readonly store: Store;
  readonly key: CurrentApiKey<string>;
  readonly may: (scope: Scope) => boolean;
  /** Continues with the successor of the API key. */
  readonly adopt: (successor: IssuedApiKey<string>) => void;
  readonly signOut: () => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('This part needs a session.');
  return session;
}

interface Opened {
  readonly credential: Credential;
  readonly store: Store;
  readonly key: CurrentApiKey<string>;
  readonly restarts: number;
}

/** Shows its children once a valid API key is given. */
export function WithSession({ children }: { readonly children: ReactNode }) {
  const [secret, setSecret] = useState(keptKey);
  const [opened, setOpened] = useState<Opened>();
  const [fault, setFault] = useState<unknown>();
  const [hasEnded, setHasEnded] = useState(false);

  const announce = useAnnounce();

  const close = useCallback(
    (reason?: unknown) => {
      keepKey(null);
      setSecret(null);
      setOpened(undefined);
      setHasEnded(false);
      setFault(reason);
      // What was done can be undone only with the API key.
      announce('');
    },
    [announce],
  );
  const signOut = () => {
    tellTabs({ type: 'left' });
    close();
  };
  /** The same page goes on with another API key. */
  const resume = (next: string, key: CurrentApiKey<string>) => {
    if (opened === undefined) return;
    keepKey(next);
    opened.credential.secret = next;
    setOpened({ ...opened, key });
    setHasEnded(false);
    void queries?.invalidateQueries();
  };
  /** Nothing of what the other API key could see is kept. */
  const restart = (next: string, key: CurrentApiKey<string>) => {
    keepKey(next);
    const credential = { secret: next };
    const restarts = (opened?.restarts ?? 0) + 1;
    setOpened({ credential, store: createStore(credential), key, restarts });
    setHasEnded(false);
  };

  const isAsking = useOtherTabs({
    session: hasEnded ? undefined : opened,
    isWanted: secret === null,
    onSession: (handed) => {
      keepKey(handed);
      setFault(undefined);
      setSecret(handed);
    },
    // The user may have signed out meanwhile.
    onRenewed: (...renewed) => keptKey() !== null && resume(...renewed),
    onLeft: close,
  });

  useEffect(() => {
    if (secret === null || opened !== undefined || fault !== undefined) return;
    const abort = new AbortController();
    const credential = { secret };
    const store = createStore(credential);
    store.apiKeys.current({ signal: abort.signal, maxRetries: 0 }).then(
      (key) => {
        keepKey(secret);
        setOpened({ credential, store, key, restarts: 0 });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        // A stored key was valid: if the service is only unavailable, the user tries again.
        if (isRefusedKey(error) || keptKey() === null) close(error);
        else setFault(error);
      },
    );
    return () => abort.abort();
  }, [secret, opened, fault, close]);

  const credential = opened?.credential;
  const queries = useMemo(() => {
    /** The page stays, with what the user has typed. */
    const end = () => {
      keepKey(null);
      setHasEnded(true);
    };
    return credential && createQueries(end);
  }, [credential]);

  if (opened !== undefined && queries !== undefined) {
    const { store, key } = opened;
    const session: Session = {
      store,
      key,
      may: (scope) => key.scopes.includes(scope),
      adopt: ({ key: next, ...successor }) => {
        resume(next, { ...key, ...successor });
        tellTabs({ type: 'session', secret: next, before: key.id });
      },
      signOut,
    };
    return (
      <QueryClientProvider client={queries}>
        <SessionContext key={opened.restarts} value={session}>
          {children}
        </SessionContext>
        {hasEnded && (
          <SignInAgain
            before={opened.key}
            onResume={resume}
            onRestart={restart}
            onLeave={signOut}
          />
        )}
      </QueryClientProvider>
    );
  }
  if (isAsking || (secret !== null && keptKey() !== null)) {
    if (fault === undefined) return <Loading />;
    return <NotConnected fault={fault} onRetry={() => setFault(undefined)} onLeave={signOut} />;
  }
  const submit = (apiKey: string) => {
    setFault(undefined);
    setSecret(apiKey);
  };
  return <SignIn fault={fault} isBusy={secret !== null} onSubmit={submit} />;
}
