/** The holder of a valid API key. */
export interface Principal {
  readonly keyId: number;
  readonly scopes: ReadonlySet<string>;
  /** When the key expires, in milliseconds since 1970-01-01T00:00:00Z; infinity if never. */
  readonly expiresAtMs: number;
}
