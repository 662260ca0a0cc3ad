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
import { Loading } from './parts/notices.tsx';
import { reading } from './reading.ts';
import { NotConnected, SignIn } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { type Credential, createQueries, createStore, type Store } from './store.ts';

export type { Store };

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

/** The API key is kept for this tab only. */
const STORAGE_KEY = 'animal-store-key';

interface Opened {
  readonly credential: Credential;
  readonly store: Store;
  readonly key: CurrentApiKey<string>;
  /** How often the page began anew. */
  readonly restarts: number;
}

/** Shows its children once a valid API key is given. */
export function WithSession({ children }: { readonly children: ReactNode }) {
  const [secret, setSecret] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const [opened, setOpened] = useState<Opened>();
  const [fault, setFault] = useState<unknown>();
  const [hasEnded, setHasEnded] = useState(false);

  const signOut = useCallback((reason?: unknown) => {
    sessionStorage.removeItem(STORAGE_KEY);
    setSecret(null);
    setOpened(undefined);
    setHasEnded(false);
    setFault(reason);
  }, []);
  /** The page stays, with what the user has typed. */
  const end = useCallback(() => {
    sessionStorage.removeItem(STORAGE_KEY);
    setHasEnded(true);
  }, []);

  useEffect(() => {
    if (secret === null || opened !== undefined || fault !== undefined) return;
    const abort = new AbortController();
    const credential = { secret };
    const store = createStore(credential);
    store.apiKeys.current(reading(abort.signal)).then(
      (key) => {
        sessionStorage.setItem(STORAGE_KEY, secret);
        setOpened({ credential, store, key, restarts: 0 });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        // A stored key was valid: if the service is only unavailable, the user tries again.
        if (isRefusedKey(error) || !isStored()) signOut(error);
        else setFault(error);
      },
    );
    return () => abort.abort();
  }, [secret, opened, fault, signOut]);

  const credential = opened?.credential;
  const queries = useMemo(() => credential && createQueries(end), [credential, end]);
  const session = useMemo((): Session | undefined => {
    if (opened === undefined) return undefined;
    const { credential, store, key } = opened;
    return {
      store,
      key,
      may: (scope) => key.scopes.includes(scope),
      adopt: ({ key: secret, ...successor }) => {
        sessionStorage.setItem(STORAGE_KEY, secret);
        credential.secret = secret;
        setOpened({ ...opened, key: { ...key, ...successor } });
      },
      signOut: () => signOut(),
    };
  }, [opened, signOut]);

  if (session !== undefined && opened !== undefined && queries !== undefined) {
    /** The same page goes on with another API key. */
    const resume = (again: string, key: CurrentApiKey<string>) => {
      sessionStorage.setItem(STORAGE_KEY, again);
      opened.credential.secret = again;
      setOpened({ ...opened, key });
      setHasEnded(false);
      void queries.invalidateQueries();
    };
    /** Nothing of what the other API key could see is kept. */
    const restart = (again: string, key: CurrentApiKey<string>) => {
      sessionStorage.setItem(STORAGE_KEY, again);
      const own = { secret: again };
      setSecret(again);
      setOpened({ credential: own, store: createStore(own), key, restarts: opened.restarts + 1 });
      setHasEnded(false);
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
            onLeave={() => signOut()}
          />
        )}
      </QueryClientProvider>
    );
  }
  if (secret !== null && isStored()) {
    if (fault === undefined) return <Loading />;
    return (
      <NotConnected fault={fault} onRetry={() => setFault(undefined)} onLeave={() => signOut()} />
    );
  }
  const submit = (apiKey: string) => {
    setFault(undefined);
    setSecret(apiKey);
  };
  return <SignIn fault={fault} isBusy={secret !== null} onSubmit={submit} />;
}

const isStored = (): boolean => sessionStorage.getItem(STORAGE_KEY) !== null;
