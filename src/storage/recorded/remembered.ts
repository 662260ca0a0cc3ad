import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';

/** What a transaction has read or written last, so that the state before a change is not read twice. */
export class Remembered<Resource> {
  #last: Map<Int64, Resource | undefined> | undefined;

  constructor(readonly read: (id: Int64) => MaybePromise<Resource | undefined>) {}

  /** Reads a resource, in every case. */
  get(id: Int64): MaybePromise<Resource | undefined> {
    return chain(this.read(id), (resource) => {
      this.set(id, resource);
      return resource;
    });
  }

  /** The resource as it was read or written last. Reads it if it was neither. */
  last(id: Int64): MaybePromise<Resource | undefined> {
    return this.#last?.has(id) ? this.#last.get(id) : this.get(id);
  }

  /** @param resource undefined: there is none. */
  set(id: Int64, resource: Resource | undefined): void {
    this.#last ??= new Map();
    this.#last.set(id, resource);
  }

  forget(ids: readonly Int64[]): void {
    for (const id of ids) this.#last?.delete(id);
  }
}
