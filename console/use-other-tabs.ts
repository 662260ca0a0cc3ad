import { useEffect, useEffectEvent, useState } from 'react';
import type { CurrentApiKey } from '../sdk/src/index.ts';
import { type Credential, createStore } from './store.ts';
import { CHANNEL, listenToTabs, type TabMessage, tellTabs } from './tabs.ts';

/** Other tabs respond in less time, unless the browser has put them to sleep. */
const PATIENCE_MS = 300;

type Key = CurrentApiKey<string>;

interface Options {
  readonly session: { readonly credential: Credential; readonly key: Key } | undefined;
  /** The tab has no API key. */
  readonly isWanted: boolean;
  readonly onSession: (secret: string) => void;
  readonly onRenewed: (secret: string, key: Key) => void;
  readonly onLeft: () => void;
}

/** Shares the session with the other tabs. Returns true while a new tab waits for theirs. */
export function useOtherTabs(options: Options): boolean {
  const { session, isWanted } = options;
  const [isAsking, setIsAsking] = useState(isWanted);
  const hear = useEffectEvent((message: TabMessage) => respond(message, options));
  useEffect(() => {
    const stop = listenToTabs((message) => hear(message));
    tellTabs({ type: 'ask' });
    const giveUp = () => setIsAsking(false);
    const timer = setTimeout(giveUp, PATIENCE_MS);
    void hasSessions().then((isWorthIt) => isWorthIt || giveUp());
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  const credential = session?.credential;
  useEffect(() => {
    if (credential === undefined) return;
    tellTabs({ type: 'opened' });
    return markSession();
  }, [credential]);
  return isAsking && isWanted;
}

const LOCK = `${CHANNEL} session`;

/** Marks that this tab has a session, until the returned function is called. */
function markSession(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // A browser may have no locks, or refuse them.
  navigator.locks?.request(LOCK, { mode: 'shared' }, () => promise).catch(() => {});
  return resolve;
}

/** Whether another tab may have a session. Without one, the sign-in page is shown at once. */
async function hasSessions(): Promise<boolean> {
  const locks = await navigator.locks?.query().catch(() => undefined);
  return locks?.held?.some(({ name }) => name === LOCK) ?? true;
}

function respond(message: TabMessage, options: Options): void {
  const { session, isWanted, onSession, onRenewed, onLeft } = options;
  if (message.type === 'ask' && session !== undefined)
    tellTabs({ type: 'session', secret: session.credential.secret });
  if (message.type === 'opened' && isWanted) tellTabs({ type: 'ask' });
  if (message.type === 'left') onLeft();
  if (message.type !== 'session') return;
  const { secret, before } = message;
  if (isWanted) onSession(secret);
  else if (session !== undefined && before === session.key.id)
    void createStore({ secret })
      .apiKeys.current()
      // After a failure, the next request finds out that the old key has ended.
      .then((key) => onRenewed(secret, key))
      .catch(() => {});
}
