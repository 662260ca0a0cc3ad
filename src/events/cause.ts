/** A client, by its API key. */
interface KeyActor {
  readonly keyId: number;
}

/** Who changes something: a client, a command of an operator, or a job of the service itself. */
export type Actor =
  | KeyActor
  | { readonly command: string; readonly user: string }
  | { readonly job: string };

/** Why something is written. Every write has a cause, so nothing can change without an event that says who changed it. */
export interface Cause<By extends Actor = Actor> {
  readonly actor: By;
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}

export type RequestCause = Cause<KeyActor>;
