/** A service for tests. `new AnimalStore(service)` connects the SDK to it. */
export interface TestStore {
  /** Such as `http://127.0.0.1:40213/v1`. */
  readonly baseUrl: string;
  /** An API key with all scopes. */
  readonly apiKey: string;
  /** Ends the service. Without it, the service ends with this process. */
  stop(): Promise<void>;
}

/**
 * Starts a service of its own: on a free port, with an empty database in a temporary folder. It ends with this process, also after
 * a kill, and its folder is removed.
 * @param settings by the names of their environment variables, such as `{ RATE_LIMIT: '5/60s' }`. Those of the address, the database
 * and the first key are ignored.
 * @throws Error with what the service says if it does not start
 */
export function startStore(settings?: Readonly<Record<string, string>>): Promise<TestStore>;
