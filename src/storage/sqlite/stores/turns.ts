/** Callers that take turns: in each turn of the event loop one of them goes on, so that the others and all requests wait briefly. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#wakeFirst);
    });
  }

  readonly #wakeFirst = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#wakeFirst);
  };
}
