import type { ApiKey, Category, ListEventsQuery, Order, Pet, StoreEvent } from './generated.ts';

/** A type of event that this version knows. */
export type EventType = NonNullable<ListEventsQuery['type']>[number];

type TypesOf<Kind extends string> = Extract<EventType, `${Kind}.${string}`>;

/** The changed fields before the change. Null: the field was absent. */
type Previous<Data> = { readonly [Field in keyof Data]?: Data[Field] | null };

interface ChangeOf<Type extends string, Data, Id>
  extends Omit<StoreEvent<Id>, 'type' | 'data' | 'previous'> {
  readonly type: Type;
  /** The resource after the change. Of a deleted one, before it. */
  readonly data: Data;
  readonly previous?: Previous<Data>;
}

type OrderInEvent<Id> = Omit<Order<Id>, 'reference' | 'note'>;
type ApiKeyInEvent<Id> = Omit<ApiKey<Id>, 'hint' | 'lastUsedAt'>;

declare const laterType: unique symbol;

/** The type of an event that a later version adds. It is no known type, so that a comparison with one tells events apart. */
export type LaterEventType = `${string}.${string}` & { readonly [laterType]: true };

/** What an import added or changed. */
type ImportedRange<Id> = Required<Pick<StoreEvent<Id>['data'], 'count' | 'firstId' | 'lastId'>>;

export type PetEvent<Id = number | bigint> = ChangeOf<TypesOf<'pet'>, Pet<Id>, Id>;
export type OrderEvent<Id = number | bigint> = ChangeOf<TypesOf<'order'>, OrderInEvent<Id>, Id>;
export type CategoryEvent<Id = number | bigint> = ChangeOf<TypesOf<'category'>, Category<Id>, Id>;
export type ApiKeyEvent<Id = number | bigint> = ChangeOf<TypesOf<'api_key'>, ApiKeyInEvent<Id>, Id>;
export type ImportEvent<Id = number | bigint> = ChangeOf<
  TypesOf<'pets' | 'categories'>,
  ImportedRange<Id>,
  Id
>;
export type LaterEvent<Id = number | bigint> = ChangeOf<
  LaterEventType,
  Readonly<Record<string, unknown>>,
  Id
>;

/** A change of the store. `type` says what `data` is. */
export type FeedEvent<Id = number | bigint> =
  | PetEvent<Id>
  | OrderEvent<Id>
  | CategoryEvent<Id>
  | ApiKeyEvent<Id>
  | ImportEvent<Id>
  | LaterEvent<Id>;
