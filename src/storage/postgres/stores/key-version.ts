import { monotonicMs } from '../../../clock.ts';

/**
 * The version of the API keys, as far as this instance knows. A key that was read stays valid as long as the version does:
 * a key that another instance revokes, for at most one period.
 */
export class KeyVersion {
  #version = 0;
  #endsMs = Number.NEGATIVE_INFINITY;

  /** @param periodMs the longest time of a version. */
  constructor(readonly periodMs: number) {}

  /** Begins another version if the period of the last one has passed. */
  current(): number {
    const nowMs = monotonicMs();
    if (nowMs >= this.#endsMs) {
      this.#version += 1;
      this.#endsMs = nowMs + this.periodMs;
    }
    return this.#version;
  }

  /** Called when this instance has revoked a key or set its expiry. */
  change(): void {
    this.#version += 1;
  }
}
