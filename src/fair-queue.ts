import type { MaybePromise } from './maybe-promise.ts';

/** Runs work, a limited number at once. Owners take turns: whoever asks for much waits for whoever asks for little. */
export class FairQueue {
  #free: number;
  /** The owners in the order of their turns, each with what waits. */
  readonly #waiting = new Map<number, (() => void)[]>();

  /**
   * @param limit how much work runs at once.
   * @param release calls back when the place of ended work is free. Default: at once.
   */
  constructor(
    limit: number,
    readonly release: (freed: () => void) => void = (freed) => freed(),
  ) {
    this.#free = limit;
  }

  /** Runs work at once if a place is free and nothing waits. @param owner such as the id of an API key. */
  run<Result>(owner: number, work: () => MaybePromise<Result>): MaybePromise<Result> {
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#execute(work);
    }
    return new Promise<void>((resolve) => {
      const others = this.#waiting.get(owner);
      if (others === undefined) this.#waiting.set(owner, [resolve]);
      else others.push(resolve);
    }).then(() => this.#execute(work));
  }

  #execute<Result>(work: () => MaybePromise<Result>): MaybePromise<Result> {
    const freed = () => this.#startNext();
    let result: MaybePromise<Result>;
    try {
      result = work();
    } catch (error) {
      this.release(freed);
      throw error;
    }
    if (!(result instanceof Promise)) {
      this.release(freed);
      return result;
    }
    return result.finally(() => this.release(freed));
  }

  #startNext(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) {
      this.#free += 1;
      return;
    }
    const [owner, waiting] = turn;
    this.#waiting.delete(owner);
    const start = waiting.shift();
    if (waiting.length > 0) this.#waiting.set(owner, waiting);
    start?.();
  }
}
