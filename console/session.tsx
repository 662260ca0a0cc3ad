import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import {
  AnimalStore,
  type CurrentApiKey,
  type IssuedApiKey,
  type Scope,
} from '../sdk/src/index.ts';
import { setClock } from './clock.ts';
import { isBrief, isRefusedKey } from './failures.ts';
import { Loading } from './parts/notices.tsx';
import { reading } from './reading.ts';
import { NotConnected, SignIn } from './sign-in.tsx';
import { TEXTS } from './texts.ts';

/** Ids are text here: they are shown, compared and sent back, and never calculated with. */
export type Store = AnimalStore<'string'>;

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

/** A person waits for less time than a program. */
const TIMEOUT_MS = 15_000;

const RETRY_DELAY_MS = 500;

/** The API key in use. A rotation replaces it. */
interface Credential {
  secret: string;
}

const createStore = (credential: Credential): Store =>
  new AnimalStore({
    apiKey: () => credential.secret,
    baseUrl: new URL('v1', document.baseURI).href,
    int64: 'string',
    // The service has no console without them.
    extensions: true,
    maxRetries: 1,
    timeoutMs: TIMEOUT_MS,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      setClock(response.headers);
      return response;
    },
  });

interface Opened {
  readonly credential: Credential;
  readonly store: Store;
  readonly key: CurrentApiKey<string>;
}

/** Shows its children once a valid API key is given. */
export function WithSession({ children }: { readonly children: ReactNode }) {
  const [secret, setSecret] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const [opened, setOpened] = useState<Opened>();
  const [fault, setFault] = useState<unknown>();

  const signOut = useCallback((reason?: unknown) => {
    sessionStorage.removeItem(STORAGE_KEY);
    setSecret(null);
    setOpened(undefined);
    setFault(reason);
  }, []);

  useEffect(() => {
    if (secret === null || opened !== undefined || fault !== undefined) return;
    const abort = new AbortController();
    const credential = { secret };
    const store = createStore(credential);
    store.apiKeys.current(reading(abort.signal)).then(
      (key) => {
        sessionStorage.setItem(STORAGE_KEY, secret);
        setOpened({ credential, store, key });
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

  const store = opened?.store;
  const queries = useMemo(
    () => store && createQueries(() => signOut(TEXTS.signIn.ended)),
    [store, signOut],
  );
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

  if (session !== undefined && queries !== undefined) {
    return (
      <QueryClientProvider client={queries}>
        <SessionContext value={session}>{children}</SessionContext>
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

function createQueries(onRefusedKey: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isRefusedKey(error)) onRefusedKey();
  };
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures === 0 && isBrief(error),
        retryDelay: RETRY_DELAY_MS,
        staleTime: 5000,
      },
      // Without a network a change fails. By default it would wait, and be sent after its dialog was closed.
      mutations: { retry: false, networkMode: 'always' },
    },
    queryCache: new QueryCache({
      onError: (error) => {
        // A pending change may be the rotation of this API key. All is loaded again after it.
        if (queries.isMutating() === 0) onError(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
  });
  return queries;
}
