import type * as known from './generated.ts';

/** A type of event that this version knows. */
export type EventType = known.StoreEvent['type'];

/** An event whose `previous` has the types of the fields that changed. Null: the field was absent. */
type Typed<Event extends { readonly data: object }, Data = Event['data']> = Omit<
  Event,
  'data' | 'previous'
> & {
  readonly data: Data;
  readonly previous?: { readonly [Field in keyof Data]?: Data[Field] | null };
};

declare const laterType: unique symbol;

/** The type of an event that a later version adds. It is no known type, so that a comparison with one tells events apart. */
export type LaterEventType = `${string}.${string}` & { readonly [laterType]: true };

export type PetEvent<Id = number | bigint> = Typed<known.PetEvent<Id>>;
export type OrderEvent<Id = number | bigint> = Typed<
  known.OrderEvent<Id>,
  Omit<known.Order<Id>, 'reference' | 'note'>
>;
export type CategoryEvent<Id = number | bigint> = Typed<known.CategoryEvent<Id>>;
export type ApiKeyEvent<Id = number | bigint> = Typed<known.ApiKeyEvent<Id>>;
export type WebhookEndpointEvent<Id = number | bigint> = Typed<known.WebhookEndpointEvent<Id>>;
export type ImportEvent<Id = number | bigint> = Typed<known.ImportEvent<Id>>;
export type LaterEvent<Id = number | bigint> = Omit<known.PetEvent<Id>, 'type' | 'data'> & {
  readonly type: LaterEventType;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What a webhook contains. */
export type WebhookEvent<Id = number | bigint> = FeedEvent<Id> | known.PingEvent;

/** A change of the store. `type` says what `data` is. */
export type FeedEvent<Id = number | bigint> =
  | PetEvent<Id>
  | OrderEvent<Id>
  | CategoryEvent<Id>
  | ApiKeyEvent<Id>
  | WebhookEndpointEvent<Id>
  | ImportEvent<Id>
  | LaterEvent<Id>;
