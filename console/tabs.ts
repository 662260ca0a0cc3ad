/**
 * The tabs of one browser that show this console. A tab with a session hands it over to a new one, so that the API key is typed
 * once. Only pages of the same origin receive a message. No tab stores the key for longer than before.
 */
export type TabMessage =
  /** A tab without a session looks for one. */
  | { readonly type: 'ask' }
  /** A session. `before`: the id of the API key that this one replaces. */
  | { readonly type: 'session'; readonly secret: string; readonly before?: string }
  /** A tab has a session, which others can ask for. */
  | { readonly type: 'opened' }
  /** Changes of others, from the tab that holds the stream: the id of the last event, without its content. */
  | {
      readonly type: 'changed';
      readonly subjects: readonly string[];
      readonly state: 'live' | 'lost' | 'unshared';
      readonly last: string | undefined;
    }
  /** The user signed out, in all tabs. */
  | { readonly type: 'left' };

/** Several services can be behind one proxy, below different paths. */
export const CHANNEL = `animal-store ${new URL('.', document.baseURI).pathname}`;

/** Undefined if the browser has none, or refuses it. Then each tab is on its own. */
const channel = openChannel();

function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch {
    return undefined;
  }
}

/** Whether tabs can share one stream: pages that are not served over HTTPS have no locks. */
export const canShare = (): boolean => channel !== undefined && 'locks' in navigator;

export const tellTabs = (message: TabMessage): void => channel?.postMessage(message);

/** Listens to the other tabs. Returns a function that ends it. */
export function listenToTabs(onMessage: (message: TabMessage) => void): () => void {
  const listener = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
  channel?.addEventListener('message', listener);
  return () => channel?.removeEventListener('message', listener);
}
