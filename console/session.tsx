import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { AnimalStore, type CurrentApiKey, type Scope } from '../sdk/src/index.ts';
import { isRefusedKey } from './failures.ts';
import { Loading } from './parts/notices.tsx';
import { SignIn } from './sign-in.tsx';
import { TEXTS } from './texts.ts';

/** Ids are text here: they are shown, compared and sent back, and never calculated with. */
export type Store = AnimalStore<'string'>;

export interface Session {
  readonly store: Store;
  readonly key: CurrentApiKey<string>;
  readonly may: (scope: Scope) => boolean;
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

/** A person waits for less time than a program. */
const TIMEOUT_MS = 15_000;

const createStore = (apiKey: string): Store =>
  new AnimalStore({
    apiKey,
    baseUrl: new URL('v1', document.baseURI).href,
    int64: 'string',
    maxRetries: 1,
    timeoutMs: TIMEOUT_MS,
  });

/** Shows its children once a valid API key is given. */
export function WithSession({ children }: { readonly children: ReactNode }) {
  const [secret, setSecret] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const [session, setSession] = useState<Pick<Session, 'store' | 'key'>>();
  const [fault, setFault] = useState<unknown>();

  useEffect(() => {
    if (secret === null || session !== undefined) return;
    const abort = new AbortController();
    const store = createStore(secret);
    store.apiKeys.current({ signal: abort.signal }).then(
      (key) => {
        sessionStorage.setItem(STORAGE_KEY, secret);
        setFault(undefined);
        setSession({ store, key });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        sessionStorage.removeItem(STORAGE_KEY);
        setSecret(null);
        setFault(error);
      },
    );
    return () => abort.abort();
  }, [secret, session]);

  const value = useMemo(() => {
    if (session === undefined) return undefined;
    const signOut = (reason?: unknown) => {
      sessionStorage.removeItem(STORAGE_KEY);
      setSecret(null);
      setSession(undefined);
      setFault(reason);
    };
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: 5000 }, mutations: { retry: false } },
      queryCache: new QueryCache({
        onError: (error) => {
          if (isRefusedKey(error)) signOut(TEXTS.signIn.ended);
        },
      }),
    });
    const may = (scope: Scope) => session.key.scopes.includes(scope);
    return { queries, session: { ...session, may, signOut: () => signOut() } };
  }, [session]);

  if (value === undefined) {
    if (secret !== null && fault === undefined && sessionStorage.getItem(STORAGE_KEY) !== null) {
      return <Loading />;
    }
    return <SignIn fault={fault} isBusy={secret !== null} onSubmit={setSecret} />;
  }
  return (
    <QueryClientProvider client={value.queries}>
      <SessionContext value={value.session}>{children}</SessionContext>
    </QueryClientProvider>
  );
}
