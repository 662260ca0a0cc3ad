import { ApiError } from '../../sdk/src/index.ts';
import { hasCode } from '../failures.ts';
import { firstPage } from '../first-page.ts';
import { STREAM_OPENED, type Store } from '../store.ts';
import { CHANNEL, listenToTabs, type TabMessage, tellTabs } from '../tabs.ts';

/** `unshared`: the tab has no part in a stream, because it cannot share one or its API key may not follow. */
export type FeedState = 'live' | 'lost' | 'unshared';

interface Options {
  readonly store: Store;
  /** Called with what has changed, such as `pets/7`, or with `ALL`. */
  readonly onChange: (subjects: readonly string[]) => void;
  /** Whether anything is loaded. */
  readonly hasLoaded: () => boolean;
  readonly onState: (state: FeedState) => void;
}

/** The subject of a change that can be any. */
export const ALL = '*';

/** A shorter loss of the connection is not shown. The service asks to wait for two seconds before the stream is opened again. */
const PATIENCE_MS = 3500;

/** The delay after a failure that the SDK does not retry. */
const RETRY_MS = 10_000;

/** Changes within this time are announced together: a batch has many events. */
const GATHER_MS = 50;

const LOCK = `${CHANNEL} stream`;

/**
 * Follows the changes of the store. A browser has one stream, because it opens few connections to a host. One tab holds the
 * stream, and tells the others. If that tab is closed, another one continues after the last event. Returns a function that ends
 * it.
 */
export function followFeed(options: Options): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const feed = new Feed(options, signal);
  const stop = listenToTabs((message) => feed.hear(message));
  signal.addEventListener('abort', stop);
  navigator.locks
    .request(LOCK, { signal }, () => feed.hold())
    .catch(() => {
      // If this tab listened to one that follows, it would seem to follow, and go on so when that one is closed.
      stop();
      if (!signal.aborted) options.onState('unshared');
    });
  return () => controller.abort();
}

class Feed {
  readonly #options: Options;
  readonly #signal: AbortSignal;
  /** The id of the last event that any tab has seen. */
  #last: string | undefined;
  #state: FeedState = 'live';
  #isHolder = false;
  /** What is loaded may miss changes: it came before the newest event, or an attempt has ended, perhaps of another tab. */
  #isLate = false;
  /** The newest event, asked for before the first lists. */
  readonly #first: Promise<string | undefined>;
  #gathered = new Set<string>();

  constructor(options: Options, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#first = this.#newest().finally(() => {
      this.#isLate ||= options.hasLoaded();
    });
    this.#first.catch(() => {});
  }

  hear(message: TabMessage): void {
    if (message.type === 'opened' && this.#isHolder) this.#tell();
    if (message.type !== 'changed' || this.#isHolder) return;
    this.#isLate = true;
    const { subjects, last, state } = message;
    this.#last = last;
    this.#state = state;
    this.#options.onState(state);
    if (subjects.length > 0) this.#options.onChange(subjects);
  }

  async hold(): Promise<void> {
    this.#isHolder = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const opened = () => {
      clearTimeout(timer);
      timer = undefined;
      this.#setState('live');
      // Without a known event, the stream may start now.
      if (this.#last === undefined) this.#gather(ALL);
    };
    const lost = () => {
      // From the first failure on.
      timer ??= setTimeout(() => this.#setState('lost'), PATIENCE_MS);
    };
    addEventListener(STREAM_OPENED, opened);
    try {
      while (!this.#signal.aborted) {
        await this.#follow(lost);
        this.#isLate = true;
      }
    } finally {
      this.#isHolder = false;
      removeEventListener(STREAM_OPENED, opened);
      clearTimeout(timer);
    }
  }

  async #follow(lost: () => void): Promise<void> {
    if (!navigator.onLine) {
      lost();
      await untilWorthIt(this.#signal);
      this.#isLate = true;
    }
    try {
      if (this.#last === undefined) {
        this.#last = await (this.#isLate ? this.#newest() : this.#first);
        // What was loaded before may be older. Another tab may go on before the first event.
        if (this.#isLate) this.#gather(ALL);
        this.#tell();
      }
      await this.#read(lost);
    } catch (error) {
      if (!this.#signal.aborted) await this.#recover(error, lost);
    }
  }

  /** The id of the last event before now. */
  async #newest(): Promise<string | undefined> {
    const list = this.#options.store.events.list(
      { sort: '-id', limit: 1 },
      { signal: this.#signal },
    );
    return (await firstPage(list)).data[0]?.id;
  }

  async #read(onRetry: () => void): Promise<void> {
    const after = this.#last;
    const restart = new AbortController();
    const again = () => restart.abort();
    // Attempts without a network fail, and the delay before the next one grows.
    for (const type of ['offline', 'online']) addEventListener(type, again);
    try {
      const events = this.#options.store.events.stream(after === undefined ? {} : { after }, {
        signal: AbortSignal.any([this.#signal, restart.signal]),
        onRetry,
      });
      for await (const { id, subject } of events) {
        this.#last = id;
        this.#gather(subject);
      }
    } catch (error) {
      if (!restart.signal.aborted) throw error;
    } finally {
      for (const type of ['offline', 'online']) removeEventListener(type, again);
    }
  }

  #gather(subject: string): void {
    this.#gathered.add(subject);
    if (this.#gathered.size > 1) return;
    setTimeout(() => {
      if (this.#signal.aborted) return;
      this.#tell();
      this.#options.onChange([...this.#gathered]);
      this.#gathered = new Set();
    }, GATHER_MS);
  }

  #setState(state: FeedState): void {
    if (this.#state === state || this.#signal.aborted) return;
    this.#state = state;
    this.#options.onState(state);
    this.#tell();
  }

  /** Tells the last event only with all changes until then: another tab may go on after it. */
  #tell(): void {
    const subjects = [...this.#gathered];
    tellTabs({ type: 'changed', subjects, state: this.#state, last: this.#last });
  }

  /** Throws the error if the API key cannot follow the changes: the key of another tab may. */
  async #recover(error: unknown, lost: () => void): Promise<void> {
    if (hasCode(error, 'events_expired')) {
      this.#last = undefined;
      return;
    }
    const status = error instanceof ApiError ? error.status : undefined;
    // The next request of the page finds out that its API key has ended.
    if (status === 401) this.#gather(ALL);
    if (status === 401 || status === 403 || status === 404) throw error;
    lost();
    await untilWorthIt(this.#signal);
  }
}

/** Until the next attempt. A browser that says it is offline can be wrong, so that is no reason to wait for longer. */
function untilWorthIt(signal: AbortSignal): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  setTimeout(resolve, RETRY_MS);
  addEventListener('online', resolve, { once: true });
  signal.addEventListener('abort', resolve);
  return promise;
}
