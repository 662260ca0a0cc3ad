export const REFUSAL_REASONS = [
  'malformed',
  'wrong_environment',
  'unknown',
  'expired',
  'revoked',
] as const;

/** Why a credential was refused. Only the log has the reason: clients get the same response in each case. */
export class RefusedCredential {
  /**
   * @param hint the first and last characters of an API key; undefined if the credential does not have the form of a key.
   * @param keyId undefined if no such key was ever created.
   */
  constructor(
    readonly reason: (typeof REFUSAL_REASONS)[number],
    readonly hint?: string,
    readonly keyId?: number,
  ) {}
}

/** The holder of a valid API key. */
export interface Principal {
  readonly keyId: number;
  readonly scopes: ReadonlySet<string>;
  /** When the key expires, in milliseconds since 1970-01-01T00:00:00Z; infinity if never. */
  readonly expiresAtMs: number;
}
