import type { ListedEvent } from '../events/event-store.ts';
import { EVENT_TYPES, type EventType } from '../events/event-types.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** Why an endpoint gets no deliveries. */
export const DISABLED_REASONS = ['requested', 'failing', 'gone', 'restored'] as const;

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;

/** A receiver of events. */
export interface WebhookEndpoint {
  readonly id: Int64;
  readonly url: string;
  /** The types of its events, separated by spaces. Missing: all but those of API keys. */
  readonly types?: string;
  readonly status: (typeof ENDPOINT_STATUSES)[number];
  /** Missing if it is enabled. */
  readonly disabledReason?: (typeof DISABLED_REASONS)[number];
  /** RFC 3339, as `failingSince`. */
  readonly createdAt: string;
  /** When the first delivery failed since the last one that succeeded. Missing if none did. */
  readonly failingSince?: string;
  /** The position in the feed up to which there are deliveries. */
  readonly fannedOutTo: Int64;
}

export type NewWebhookEndpoint = Omit<WebhookEndpoint, 'id' | 'fannedOutTo'>;

/** A secret that signs. Times are in milliseconds since 1970-01-01T00:00:00Z; null: never. */
export interface StoredSecret {
  readonly id: Int64;
  readonly endpointId: Int64;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

/** What became of the last attempt, and of the delivery. */
export interface DeliveryState {
  readonly status: (typeof DELIVERY_STATUSES)[number];
  readonly attempts: number;
  /** Times are in milliseconds since 1970-01-01T00:00:00Z. Null: there is no next attempt. */
  readonly nextAt: number | null;
  readonly attemptedAt: number | null;
  readonly durationMs: number | null;
  /** The status of the response, null if there was none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/** An event of an endpoint. */
export interface StoredDelivery extends DeliveryState {
  readonly id: Int64;
  readonly endpointId: Int64;
  /** The position of the event. */
  readonly eventId: Int64;
  /** Until when a process alone may send it, 0 if none does. */
  readonly claimedUntil: number;
}

export type ListedDelivery = StoredDelivery & Pick<ListedEvent, 'type' | 'subject'>;

/** A delivery to send, with all that this needs. */
export interface ClaimedDelivery extends StoredDelivery {
  readonly url: string;
  readonly event: ListedEvent;
  readonly generation: string;
  /** The sealed secrets that are valid, the newest first. */
  readonly secrets: readonly Uint8Array[];
}

/** An enabled endpoint, and what is to be done for it. */
export interface EndpointWork {
  readonly id: Int64;
  readonly isFailing: boolean;
  /** Whether events may have no deliveries yet. */
  readonly isBehind: boolean;
  /** Whether a delivery is due that no process has claimed. */
  readonly isDue: boolean;
}

export interface WebhookTotals {
  /** How many endpoints are disabled although no client said so. */
  readonly disabled: number;
  /** When the oldest delivery of an enabled endpoint was due that is due now. Null if none is. */
  readonly oldestDueAt: number | null;
}

/** Reads endpoints and deliveries. Failures are thrown as `StorageError`. */
export interface WebhookReader {
  get(id: Int64): MaybePromise<WebhookEndpoint | undefined>;

  /** The first `count` endpoints with an id greater than `afterId`, ascending by id. */
  listEndpoints(afterId: Int64 | undefined, count: number): MaybePromise<WebhookEndpoint[]>;

  /** The sealed secrets of an endpoint that are valid, the newest first. */
  secretsOf(endpointId: Int64, now: number): MaybePromise<Uint8Array[]>;

  /** The first `count` deliveries of an endpoint with an id less than `beforeId`, descending by id. */
  listDeliveries(
    endpointId: Int64,
    beforeId: Int64 | undefined,
    count: number,
  ): MaybePromise<ListedDelivery[]>;

  /** The enabled endpoints. */
  work(now: number): MaybePromise<EndpointWork[]>;

  totals(now: number): MaybePromise<WebhookTotals>;

  allSecrets(): MaybePromise<StoredSecret[]>;
}

/** The events that a replay sends again. */
export interface ReplayRange {
  /** Inclusive, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly after: number;
  /** Exclusive. */
  readonly until: number;
  /** Only those whose delivery failed. */
  readonly onlyFailed: boolean;
}

/** Changes endpoints and deliveries within a transaction. Records an event if an endpoint becomes disabled. */
export interface WebhookStore {
  /** Locks the endpoint. */
  get(id: Int64): MaybePromise<WebhookEndpoint | undefined>;

  /** An endpoint gets the events that follow its creation. */
  add(endpoint: NewWebhookEndpoint): MaybePromise<WebhookEndpoint>;

  /** An endpoint that becomes enabled gets the events that follow. */
  replace(endpoint: WebhookEndpoint): MaybePromise<void>;

  /** Removes an endpoint with its secrets. Its deliveries go with their events. */
  remove(id: Int64): MaybePromise<void>;

  /** Disables all endpoints, and gives up what is pending: what they got after a backup is not known. Returns how many it disabled. */
  disableRestored(): MaybePromise<number>;

  addSecret(secret: Omit<StoredSecret, 'id' | 'expiresAt'>): MaybePromise<void>;

  /** Lets the newest secret of an endpoint expire at a time. Removes all others. */
  endSecrets(endpointId: Int64, expiresAt: number): MaybePromise<void>;

  /** Replaces the seal of a secret. */
  reseal(id: Int64, secret: Uint8Array): MaybePromise<void>;

  /** Adds the deliveries of the next `count` events of an endpoint, unless another process does. */
  fanOut(endpointId: Int64, count: number, now: number): MaybePromise<void>;

  /** Claims at most `count` due deliveries of an endpoint until a time. */
  claim(
    endpointId: Int64,
    count: number,
    now: number,
    until: number,
  ): MaybePromise<ClaimedDelivery[]>;

  /** Stores the result of an attempt, and ends its claim. False if the delivery is no longer claimed until this time. */
  settle(id: Int64, claimedUntil: number, state: DeliveryState): MaybePromise<boolean>;

  /** Notes that an endpoint fails since a time, unless it is failing; undefined: that it does not. */
  setFailing(endpointId: Int64, since: number | undefined): MaybePromise<void>;

  /** Makes deliveries of events due. Returns how many. At most `most`: if there are more, none, and undefined. */
  replay(
    endpoint: WebhookEndpoint,
    range: ReplayRange,
    now: number,
    most: number,
  ): MaybePromise<number | undefined>;

  /** Makes a delivery due, as if it was never attempted. False if there is none, or no endpoint. */
  redeliver(id: Int64, now: number): MaybePromise<boolean>;
}

/** What an endpoint gets that names no types. */
export const DEFAULT_TYPES = EVENT_TYPES.filter((type) => !type.startsWith('api_key.'));

/** The types of the events of an endpoint. */
export const typesOf = ({ types }: Pick<WebhookEndpoint, 'types'>): readonly EventType[] =>
  (types?.split(' ') ?? DEFAULT_TYPES) as EventType[];
