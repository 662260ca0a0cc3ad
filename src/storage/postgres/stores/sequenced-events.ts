import type { Feed, FeedTimes } from '../../../events/event-store.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { StoredEvents } from '../../stores/event-store.ts';
import { isRightMissing } from '../failures.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import type { Run, Transactions } from '../transactions/transactions.ts';
import { hasUnsequenced, sequence } from './outbox.ts';

/** Reads the feed outside of transactions. */
export class SequencedEvents extends StoredEvents {
  readonly #onPrimary: StoredEvents;

  /** @param primary reads from the primary: a standby may not have the newest events yet. */
  constructor(
    run: Run,
    readonly primary: Run,
    readonly transactions: Transactions,
  ) {
    super(new PostgresSql(run));
    this.#onPrimary = new StoredEvents(new PostgresSql(primary));
  }

  /** Moves events of committed transactions into the feed first: a client finds the event of a write that was acknowledged. */
  override async feed(): Promise<Feed> {
    if (await hasUnsequenced(this.primary)) await this.#sequence();
    return super.feed();
  }

  /** A role that may only read leaves it to the service. */
  async #sequence(): Promise<void> {
    try {
      while (await this.transactions.run((run) => sequence(run, 'FOR UPDATE'), true));
    } catch (error) {
      if (!isRightMissing(error)) throw error;
    }
  }

  override times(): MaybePromise<FeedTimes> {
    return this.#onPrimary.times();
  }

  /** One statement, however many standbys there are. */
  override peek(): MaybePromise<Feed> {
    return this.#onPrimary.feed();
  }
}
