import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { AnimalStore } from '../sdk/src/index.ts';
import { setClock } from './clock.ts';
import { isBrief, isRefusedKey } from './failures.ts';
import { fetchUnlessLeft, STREAM_PATH, watchWaits } from './waits.ts';

/** Ids are text here: they are shown, compared and sent back, and never calculated with. */
export type Store = AnimalStore<'string'>;

/** The API key in use. A rotation, or another sign-in, replaces it. */
export interface Credential {
  secret: string;
}

/** Dispatched at the window when the service has accepted the stream of events. The SDK reports only its end. */
export const STREAM_OPENED = 'streamopened';

/** A person waits for less time than a program. */
const TIMEOUT_MS = 15_000;

const RETRY_DELAY_MS = 500;

export const createStore = (credential: Credential): Store =>
  new AnimalStore({
    apiKey: () => credential.secret,
    baseUrl: new URL('v1', document.baseURI).href,
    int64: 'string',
    // The service has no console without them.
    extensions: true,
    maxRetries: 1,
    timeoutMs: TIMEOUT_MS,
    ...watchWaits(TIMEOUT_MS),
    fetch: async (url, init) => {
      const response = await fetchUnlessLeft(url, init);
      setClock(response.headers);
      if (response.ok && url.includes(STREAM_PATH)) dispatchEvent(new Event(STREAM_OPENED));
      return response;
    },
  });

/** @param onEnd called when the service does not accept the API key any more */
export function createQueries(onEnd: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isRefusedKey(error)) onEnd();
  };
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures === 0 && isBrief(error),
        retryDelay: RETRY_DELAY_MS,
        // A browser that says it is offline can be wrong: a request does not wait for the network.
        networkMode: 'always',
        refetchOnReconnect: 'always',
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
