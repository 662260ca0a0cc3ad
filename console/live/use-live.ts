import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import { KNOWN } from '../refresh.ts';
import { useSession } from '../session.tsx';
import { canShare } from '../tabs.ts';
import { ALL, type FeedState, followFeed } from './feed.ts';
import { holdRow } from './hold-row.ts';

/** What is shown is loaded again at most so often. */
const INTERVAL_MS = 1000;

/** How often the page looks for changes that it cannot follow, in seconds. */
export const LOOK_SECONDS = 20;

/** Loads what others have changed: at once, or now and then if the API key or the browser cannot follow. */
export function useLive(): FeedState {
  const { store, key, may } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<FeedState>('live');
  const mayFollow = may('events:read') && canShare();
  // Before the effects that load the lists.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another API key follows anew
  useLayoutEffect(() => {
    if (!mayFollow) return;
    // What another API key was told says nothing about this one.
    setState('live');
    const refresh = refreshing(queries);
    const hasLoaded = () => queries.getQueriesData({}).some(([, data]) => data !== undefined);
    const end = followFeed({ store, onChange: refresh.add, onState: setState, hasLoaded });
    return () => {
      end();
      refresh.end();
    };
  }, [store, key, mayFollow, queries]);
  const present = mayFollow ? state : 'unshared';
  useEffect(() => {
    if (present === 'live') return;
    const look = () => document.hidden || queries.invalidateQueries();
    const timer = setInterval(look, LOOK_SECONDS * 1000);
    return () => clearInterval(timer);
  }, [present, queries]);
  return present;
}

/** Gathers changes, and loads again what they affect: at once, and then after an interval. */
function refreshing(queries: QueryClient) {
  let gathered = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readyAt = 0;
  const run = async () => {
    readyAt = Date.now() + INTERVAL_MS;
    const subjects = gathered;
    const predicate = isAffectedBy(subjects);
    // What is being loaded may miss the change. Invalidating begins no first load again, and nothing in a hidden tab.
    const isJoined = (query: Query) =>
      predicate(query) && (document.hidden || (query.isActive() && query.state.data === undefined));
    gathered = new Set(queries.isFetching({ predicate: isJoined }) > 0 ? subjects : []);
    // A hidden tab gets no frame, after which a row is released.
    const release = document.hidden ? () => {} : holdRow();
    // The next run would cancel its requests. On a slow network none would ever end.
    await queries.invalidateQueries({
      predicate,
      refetchType: document.hidden ? 'none' : 'active',
    });
    release();
    timer = undefined;
    if (gathered.size > 0) add([]);
  };
  const add = (subjects: readonly string[]) => {
    for (const subject of subjects) gathered.add(subject);
    timer ??= setTimeout(run, Math.max(0, readyAt - Date.now()));
  };
  return {
    add,
    end() {
      gathered.clear();
      clearTimeout(timer);
    },
  };
}

/** The queries of a single resource: the second part of their key is its id. */
const SINGLE: Readonly<Record<string, string>> = {
  pet: 'pets',
  history: 'pets',
  order: 'orders',
};

const isAffectedBy =
  (subjects: ReadonlySet<string>) =>
  ({ queryKey: [head, id] }: { readonly queryKey: readonly unknown[] }): boolean => {
    if (subjects.has(ALL)) return true;
    const kinds = new Set([...subjects].map((subject) => subject.split('/')[0]));
    const single = SINGLE[String(head)];
    // The subject of an import is the kind alone.
    if (single !== undefined) return subjects.has(`${single}/${id}`) || subjects.has(single);
    if (head === 'api-keys') return kinds.has('api-keys');
    if (head === 'events') return true;
    if (head === KNOWN) return kinds.has('categories');
    return head !== 'usage' && (kinds.size > 1 || !kinds.has('api-keys'));
  };
