/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */

/** The fields that are 64-bit integers. */
export const INT64_FIELDS: readonly string[] = ['categoryId', 'endpointId', 'firstId', 'id', 'keyId', 'lastId', 'petId'];

/** The known codes of errors. */
export type ErrorCode =
  | 'body_required'
  | 'invalid_json'
  | 'validation_failed'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'invalid_request'
  | 'read_only_field'
  | 'endpoint_unverified'
  | 'credential_missing'
  | 'credential_invalid'
  | 'scope_missing'
  | 'route_not_found'
  | 'pet_not_found'
  | 'category_not_found'
  | 'order_not_found'
  | 'key_not_found'
  | 'webhook_endpoint_not_found'
  | 'webhook_delivery_not_found'
  | 'method_not_allowed'
  | 'invalid_transition'
  | 'pet_not_available'
  | 'pet_reserved'
  | 'category_in_use'
  | 'idempotency_in_progress'
  | 'operation_removed'
  | 'events_expired'
  | 'precondition_failed'
  | 'content_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'precondition_required'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'
  | 'deadline_exceeded'
  | 'webhooks_unavailable'
  | 'storage_full';

/** An API key, without its secret. */
export interface ApiKey<Id = number | bigint> {
  /** Identifier of the key. */
  readonly id: Id;
  /** The user or purpose of the key. Stored and returned exactly as sent. */
  readonly name: string;
  /** The first and last characters of the key, to recognise it. */
  readonly hint: string;
  /** What the key may do. */
  readonly scopes: readonly Scope[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires. */
  readonly expiresAt?: string;
  /** When the key was revoked. */
  readonly revokedAt?: string;
  /** When the key was last used, accurate to about ten seconds. */
  readonly lastUsedAt?: string;
}

/** A change of an API key. */
export interface ApiKeyEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'api_key.created' | 'api_key.rotated' | 'api_key.revoked';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  readonly data: ApiKeyInEvent<Id>;
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** An API key in an event, without its hint and its last use. */
export interface ApiKeyInEvent<Id = number | bigint> {
  /** Identifier of the key. */
  readonly id: Id;
  /** The user or purpose of the key. Stored and returned exactly as sent. */
  readonly name: string;
  /** What the key may do. */
  readonly scopes: readonly Scope[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires. */
  readonly expiresAt?: string;
  /** When the key was revoked. */
  readonly revokedAt?: string;
}

/** The record of a category. */
export interface Category<Id = number | bigint> {
  /** Identifier that animals refer to. */
  readonly id: Id;
  /** The category's name. Stored and returned exactly as sent. */
  readonly name: string;
}

/** A change of a category. */
export interface CategoryEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'category.created' | 'category.updated' | 'category.deleted';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  /** The category after the change. Of a deleted one, before it. */
  readonly data: Category<Id>;
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** The name of a category. */
export interface CategoryName<Id = number | bigint> {
  /** Cannot be changed. A value other than the id in the path is refused. */
  readonly id?: Id | undefined;
  /** The category's name. Stored and returned exactly as sent. */
  readonly name: string;
}

/** The record of a category, and how many animals of it have each status. */
export interface CountedCategory<Id = number | bigint> {
  /** Identifier that animals refer to. */
  readonly id: Id;
  /** The category's name. Stored and returned exactly as sent. */
  readonly name: string;
  readonly counts: Inventory;
}

/** The API key of the request, without its secret. */
export interface CurrentApiKey<Id = number | bigint> {
  /** Identifier of the key. */
  readonly id: Id;
  /** The user or purpose of the key. Stored and returned exactly as sent. */
  readonly name: string;
  /** The first and last characters of the key, to recognise it. */
  readonly hint: string;
  /** What the key may do. */
  readonly scopes: readonly Scope[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires. */
  readonly expiresAt?: string;
  /** The environment whose keys this service accepts. */
  readonly environment: 'production' | 'staging';
}

/** Who made the change: an API key (`keyId`, `keyName`), a command (`command`, `user`), or the service (`job`). */
export interface EventActor<Id = number | bigint> {
  /** The id of the API key. */
  readonly keyId?: Id;
  /** The name of the API key. Stored and returned exactly as sent. */
  readonly keyName?: string;
  /** The command of an operator. */
  readonly command?: string;
  /** The user of the operating system who ran the command. */
  readonly user?: string;
  /** The job of the service itself. */
  readonly job?: string;
}

/** What happened. A later version may add types. */
export type EventType = 'pet.created' | 'pet.updated' | 'pet.deleted' | 'pets.imported' | 'order.placed' | 'order.approved' | 'order.delivered' | 'order.cancelled' | 'order.expired' | 'order.returned' | 'order.updated' | 'order.deleted' | 'category.created' | 'category.updated' | 'category.deleted' | 'categories.imported' | 'api_key.created' | 'api_key.rotated' | 'api_key.revoked' | 'webhook_endpoint.disabled';

/** An import of animals or categories. */
export interface ImportEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'pets.imported' | 'categories.imported';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  /** What was imported. */
  readonly data: {
    /** How many were imported. */
    readonly count: number;
    /** The smallest id. */
    readonly firstId: Id;
    /** The largest id. Others than those that were imported may have ids between. */
    readonly lastId: Id;
  };
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** How many animals have each status. */
export interface Inventory {
  /** Animals that can be ordered. */
  readonly available: number;
  /** Animals that an open order holds, or that staff set to pending. */
  readonly pending: number;
  /** Animals that were sold. */
  readonly sold: number;
  /** Animals without a status. */
  readonly unset: number;
}

/** A new API key with its secret. */
export interface IssuedApiKey<Id = number | bigint> {
  /** Identifier of the key. */
  readonly id: Id;
  /** The user or purpose of the key. Stored and returned exactly as sent. */
  readonly name: string;
  /** The first and last characters of the key, to recognise it. */
  readonly hint: string;
  /** What the key may do. */
  readonly scopes: readonly Scope[];
  /** When the key was created. */
  readonly createdAt: string;
  /** When the key expires. */
  readonly expiresAt?: string;
  /** The key itself. No other operation returns it. */
  readonly key: string;
}

/** A webhook endpoint with its new secret. */
export interface IssuedWebhookEndpoint<Id = number | bigint> {
  /** Unique identifier, assigned by the service and never reused. */
  readonly id: Id;
  /** Where events are sent: https. */
  readonly url: string;
  /** The types of its events. Absent: all, also those of later versions, but not those of API keys. These need the scope `keys:admin`, too. */
  readonly types?: readonly EventType[];
  readonly status: WebhookEndpointStatus;
  readonly disabledReason?: WebhookDisabledReason;
  /** When it was created. */
  readonly createdAt: string;
  /** Since when all deliveries have failed. Absent if they do not. */
  readonly failingSince?: string;
  /** The secret that signs. No other operation returns it. */
  readonly secret: string;
}

/** An API key to create. */
export interface NewApiKey {
  /** The user or purpose of the key. Stored and returned exactly as sent. */
  readonly name: string;
  /** What the key may do. Default: `pets:read`. */
  readonly scopes?: readonly Scope[] | undefined;
  /** When the key expires. Must be in the future. Default: never. */
  readonly expiresAt?: string | undefined;
}

/** An order to place. */
export interface NewOrder<Id = number | bigint> {
  /** Identifier of the animal to sell. */
  readonly petId: Id;
  /** The first status of the order. `delivered` is a sale over the counter. Default: `placed`. */
  readonly status?: 'placed' | 'approved' | 'delivered' | undefined;
  /** The client's own name for the order, such as the number of a receipt. Several orders can have the same one. */
  readonly reference?: string | undefined;
  /** A remark of the client. It can have several lines. */
  readonly note?: string | undefined;
}

/** An animal to add. */
export interface NewPet<Id = number | bigint> {
  /** The animal's name. Stored and returned exactly as sent. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. */
  readonly categoryId: Id;
  readonly status?: PetStatus | undefined;
}

/** A webhook endpoint to create. */
export interface NewWebhookEndpoint {
  /** Where events are sent: https. */
  readonly url: string;
  /** The types of its events. Absent: all, also those of later versions, but not those of API keys. These need the scope `keys:admin`, too. */
  readonly types?: readonly EventType[] | undefined;
}

/** An order for one animal. */
export interface Order<Id = number | bigint> {
  /** Unique identifier, assigned by the service and never reused. */
  readonly id: Id;
  /** Identifier of the animal. */
  readonly petId: Id;
  readonly status: OrderStatus;
  /** When the order was placed. */
  readonly createdAt: string;
  /** When the order expires, unless it is approved before then. */
  readonly expiresAt?: string;
  /** When the animal was handed over. It stays after a return. */
  readonly deliveredAt?: string;
  /** When the order ended: it was delivered, cancelled or returned, or it expired. The last of these counts. Absent while the order is open. */
  readonly endedAt?: string;
  /** The client's own name for the order, such as the number of a receipt. Several orders can have the same one. */
  readonly reference?: string;
  /** A remark of the client. It can have several lines. */
  readonly note?: string;
}

/** A change of an order. */
export interface OrderEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'order.placed' | 'order.approved' | 'order.delivered' | 'order.cancelled' | 'order.expired' | 'order.returned' | 'order.updated' | 'order.deleted';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  /** The order after the change. Of a deleted one, before it. It has neither `reference` nor `note`. */
  readonly data: Order<Id>;
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** The fields that changed and whose values no event contains, because they may name a person. */
  readonly withheld?: readonly string[];
}

/** A merge patch of an order (RFC 7396). */
export interface OrderPatch<Id = number | bigint> {
  /** Cannot be changed. A value other than the id in the path is refused. */
  readonly id?: Id | undefined;
  /** The new status. If it is absent or equal to the current status, the status does not change. */
  readonly status?: OrderStatus | undefined;
  /** The client's own name for the order, such as the number of a receipt. Several orders can have the same one. Null removes it. */
  readonly reference?: string | null | undefined;
  /** A remark of the client. It can have several lines. Null removes it. */
  readonly note?: string | null | undefined;
}

/** Status of an order. An order that is placed or approved is open: it holds its animal. A placed order can become approved, delivered or cancelled. An approved order can become delivered or cancelled. A delivered order can become returned. */
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled' | 'expired' | 'returned';

/** An animal of the catalogue. */
export interface Pet<Id = number | bigint> {
  /** Unique identifier, assigned by the service and never reused. */
  readonly id: Id;
  /** The animal's name. Stored and returned exactly as sent. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. */
  readonly categoryId: Id;
  readonly status?: PetStatus;
}

/** A change of an animal. */
export interface PetEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'pet.created' | 'pet.updated' | 'pet.deleted';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  /** The animal after the change. Of a deleted one, before it. */
  readonly data: Pet<Id>;
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** A merge patch of an animal (RFC 7396). */
export interface PetPatch<Id = number | bigint> {
  /** Cannot be changed. A value other than the id in the path is refused. */
  readonly id?: Id | undefined;
  /** The animal's name. Stored and returned exactly as sent. */
  readonly name?: string | undefined;
  /** Identifier of the category the animal belongs to. */
  readonly categoryId?: Id | undefined;
  /** Availability of the animal; null removes it. */
  readonly status?: PetStatus | null | undefined;
}

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** Asks whether an endpoint accepts events. */
export interface PingEvent {
  /** Identifies the ping. */
  readonly id: string;
  readonly type: 'ping';
  /** When it was sent. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, never>>;
}

/** Which events to deliver again. */
export interface Replay {
  /** The time of the first event. */
  readonly after: string;
  /** Only events before this time. Default: now. */
  readonly until?: string | undefined;
  /** Whether only failed deliveries are repeated. Default: false. */
  readonly onlyFailed?: boolean | undefined;
}

/** What a replay delivers. */
export interface ReplayedDeliveries {
  /** How many deliveries are due. */
  readonly count: number;
}

/** How to rotate a key. */
export interface Rotation {
  /** How long the old key remains valid. */
  readonly gracePeriodSeconds: number;
  /** When the successor expires. Must be in the future. Default: when the old key would have expired without the rotation. */
  readonly expiresAt?: string | undefined;
}

/** A group of operations that an API key may call. */
export type Scope = 'pets:read' | 'pets:write' | 'orders:read' | 'orders:write' | 'events:read' | 'webhooks:admin' | 'keys:admin';

/** How to rotate a secret. */
export interface SecretRotation {
  /** How long the old secret still signs. */
  readonly gracePeriodSeconds: number;
}

/** A change of the store. `type` says what `data` is. A later version may add types: ignore an event whose type you do not know, or name those that you know in the parameter `type`. */
export type StoreEvent<Id = number | bigint> = PetEvent<Id> | OrderEvent<Id> | CategoryEvent<Id> | ApiKeyEvent<Id> | WebhookEndpointEvent<Id> | ImportEvent<Id>;

/** How the store is doing. */
export interface StoreSummary<Id = number | bigint> {
  /** The time zone of the days. */
  readonly timeZone: string;
  /** How many orders are open now. */
  readonly openOrders: {
    /** Orders that hold an animal for a time. */
    readonly placed: number;
    /** Orders that hold an animal until they are delivered or cancelled. */
    readonly approved: number;
  };
  /** The placed orders that expire next, the first one first, at most 10. */
  readonly expiringNext: readonly Order<Id>[];
  /** The last days, ascending. The last one is today. */
  readonly days: readonly {
    /** The day, by the clock of the time zone. */
    readonly date: string;
    /** Orders that were placed. */
    readonly placed: number;
    /** Orders that were delivered, even if they were returned later. */
    readonly delivered: number;
    /** Orders that were cancelled. */
    readonly cancelled: number;
    /** Orders that expired. */
    readonly expired: number;
    /** Orders that were returned. */
    readonly returned: number;
  }[];
}

/** How often, when and by which keys operations were called. */
export interface Usage<Id = number | bigint> {
  /** The first of the days, in UTC. */
  readonly from: string;
  /** The last of the days: today, in UTC. */
  readonly to: string;
  /** The operations that were ever called, ascending by operationId. */
  readonly operations: readonly {
    /** The operationId of the OpenAPI document. */
    readonly operationId: string;
    /** Whether the operation is stable, beta, experimental or deprecated; `removed` if this version of the service does not have it. */
    readonly lifecycle: 'stable' | 'beta' | 'experimental' | 'deprecated' | 'removed';
    /** The calls since the first start, by all keys. */
    readonly totalCalls: number;
    /** When the operation was last called. */
    readonly lastCalledAt: string;
    /** The last 30 days, ascending, also those without calls. */
    readonly days: readonly {
      /** The day, in UTC. */
      readonly date: string;
      /** The calls by all keys. */
      readonly calls: number;
    }[];
    /** How many keys have called the operation. */
    readonly keyCount: number;
    /** The keys that have called the operation, the latest call first, at most 100. */
    readonly keys: readonly {
      /** Identifier of the key. */
      readonly keyId: Id;
      /** The name of the key. Stored and returned exactly as sent. */
      readonly keyName: string;
      /** The calls since the first start, by this key. */
      readonly totalCalls: number;
      /** When this key last called the operation. */
      readonly lastCalledAt: string;
    }[];
  }[];
}

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery<Id = number | bigint> {
  /** Unique identifier. */
  readonly id: Id;
  /** Identifier of the endpoint. */
  readonly endpointId: Id;
  /** Identifier of the event. */
  readonly eventId: string;
  /** The type of the event. */
  readonly type: string;
  /** What changed, such as `pets/7`. */
  readonly subject: string;
  readonly status: WebhookDeliveryStatus;
  /** How often it was attempted. */
  readonly attempts: number;
  /** When it is attempted next. Absent if it is not pending. */
  readonly nextAttemptAt?: string;
  /** When it was attempted last. */
  readonly lastAttemptAt?: string;
  /** How long the last attempt took, in milliseconds. */
  readonly durationMs?: number;
  /** The status of the response. Absent if there was none. */
  readonly responseStatus?: number;
  readonly error?: WebhookDeliveryError;
}

/** Why an attempt failed. `address_refused`: the operator does not allow its network, or http. `event_damaged`: the service cannot read the event. `secret_unreadable`: the service lacks the key of the secret. `restored`: the database was restored before. */
export type WebhookDeliveryError = 'name_not_found' | 'address_refused' | 'connection_failed' | 'timed_out' | 'redirected' | 'unsuccessful_status' | 'event_damaged' | 'secret_unreadable' | 'restored';

/** A `pending` one is attempted again. A `failed` one is not, unless it is redelivered. */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed';

/** Why an endpoint is disabled. `requested`: a client said so. `failing`: all deliveries of five days failed. `gone`: it responded with 410. `restored`: the database was restored or copied. */
export type WebhookDisabledReason = 'requested' | 'failing' | 'gone' | 'restored';

/** A receiver of events, without its secret. */
export interface WebhookEndpoint<Id = number | bigint> {
  /** Unique identifier, assigned by the service and never reused. */
  readonly id: Id;
  /** Where events are sent: https. */
  readonly url: string;
  /** The types of its events. Absent: all, also those of later versions, but not those of API keys. These need the scope `keys:admin`, too. */
  readonly types?: readonly EventType[];
  readonly status: WebhookEndpointStatus;
  readonly disabledReason?: WebhookDisabledReason;
  /** When it was created. */
  readonly createdAt: string;
  /** Since when all deliveries have failed. Absent if they do not. */
  readonly failingSince?: string;
}

/** The service disabled a webhook endpoint, or a client did. */
export interface WebhookEndpointEvent<Id = number | bigint> {
  /** Identifies the event and its position. Opaque: its format can change. */
  readonly id: string;
  /** What happened. */
  readonly type: 'webhook_endpoint.disabled';
  /** What changed, such as `pets/7` or `orders/4`. */
  readonly subject: string;
  /** When it changed. */
  readonly timestamp: string;
  readonly actor: EventActor<Id>;
  /** The endpoint. */
  readonly data: {
    /** Identifier of the endpoint. */
    readonly id: Id;
    /** Why it is disabled, as in the endpoint. */
    readonly disabledReason: string;
  };
  /** The fields that changed, with their values before. Null: the field was absent. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

/** A merge patch of a webhook endpoint (RFC 7396). */
export interface WebhookEndpointPatch<Id = number | bigint> {
  /** Cannot be changed. A value other than the id in the path is refused. */
  readonly id?: Id | undefined;
  /** Where events are sent: https. */
  readonly url?: string | undefined;
  /** The types of its events. Absent: all, also those of later versions, but not those of API keys. These need the scope `keys:admin`, too. */
  readonly types?: readonly EventType[] | null | undefined;
  readonly status?: WebhookEndpointStatus | undefined;
}

/** A disabled endpoint gets no events, also not later: replay those that it missed. */
export type WebhookEndpointStatus = 'enabled' | 'disabled';

/** What became of a ping. */
export interface WebhookTest {
  /** The status of the response. Absent if there was none. */
  readonly responseStatus?: number;
  readonly error?: WebhookDeliveryError;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/** The query of listPets. */
export interface ListPetsQuery<Id = number | bigint> {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
  /** The order: `id` is ascending by id, `-id` descending. */
  readonly sort?: 'id' | '-id' | undefined;
  /** Filters by availability. */
  readonly status?: PetStatus | undefined;
  /** Returns only the animals of this category. */
  readonly categoryId?: Id | undefined;
  /** Returns only the animals with these identifiers. May be repeated. */
  readonly id?: readonly Id[] | undefined;
  /** Returns only the animals whose name contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter: `cafe` finds `Café`. */
  readonly name?: string | undefined;
}

export interface BatchCreatePetsBody<Id = number | bigint> {
  /** The animals to add. */
  readonly pets: readonly NewPet<Id>[];
}

/** The query of listCategories. */
export interface ListCategoriesQuery {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
  /** The order: `id` is ascending by id, `-id` descending. */
  readonly sort?: 'id' | '-id' | undefined;
  /** Returns only the categories whose name contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter: `cafe` finds `Café`. */
  readonly name?: string | undefined;
}

/** The query of listOrders. */
export interface ListOrdersQuery<Id = number | bigint> {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
  /** The order: `id` is ascending by id, `-id` descending, `expiresAt` by the end of the hold. */
  readonly sort?: 'id' | '-id' | 'expiresAt' | undefined;
  /** Returns only the orders with one of these statuses. May be repeated. */
  readonly status?: readonly OrderStatus[] | undefined;
  /** Returns only the orders for this animal. */
  readonly petId?: Id | undefined;
  /** Returns only the orders with exactly this reference. */
  readonly reference?: string | undefined;
  /** Returns only the orders whose reference or note contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter. */
  readonly text?: string | undefined;
  /** Returns only the orders that were placed at this time or later (RFC 3339). The order is then by `createdAt`. */
  readonly createdAfter?: string | undefined;
  /** Returns only the orders that were placed before this time (RFC 3339). The order is then by `createdAt`. */
  readonly createdBefore?: string | undefined;
  /** Returns only the orders that were delivered at this time or later (RFC 3339). Unless the order is by `createdAt`, it is then by `deliveredAt`. */
  readonly deliveredAfter?: string | undefined;
  /** Returns only the orders that were delivered before this time (RFC 3339). Unless the order is by `createdAt`, it is then by `deliveredAt`. */
  readonly deliveredBefore?: string | undefined;
}

/** The query of getInventory. */
export interface GetInventoryQuery<Id = number | bigint> {
  /** Counts only the animals of this category. It needs no record: the counts of an unknown category are 0. */
  readonly categoryId?: Id | undefined;
  /** Counts only the animals whose name contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter: `cafe` finds `Café`. */
  readonly name?: string | undefined;
}

/** The query of getStoreSummary. */
export interface GetStoreSummaryQuery {
  /** The number of days, with today. */
  readonly days?: number | undefined;
  /** The time zone whose clock separates the days, as the IANA database names it. */
  readonly timeZone?: string | undefined;
}

/** The query of listEvents. */
export interface ListEventsQuery {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
  /** The order: `id` is ascending by id, `-id` descending. */
  readonly sort?: 'id' | '-id' | undefined;
  /** Returns only the events of one of these types. May be repeated. */
  readonly type?: readonly ('pet.created' | 'pet.updated' | 'pet.deleted' | 'pets.imported' | 'order.placed' | 'order.approved' | 'order.delivered' | 'order.cancelled' | 'order.expired' | 'order.returned' | 'order.updated' | 'order.deleted' | 'category.created' | 'category.updated' | 'category.deleted' | 'categories.imported' | 'api_key.created' | 'api_key.rotated' | 'api_key.revoked' | 'webhook_endpoint.disabled')[] | undefined;
  /** Returns only the events of this resource, such as `pets/7`, `orders/4`, `categories/3` or `api-keys/2`: its history, even after it was deleted. The subject of an import is `pets` or `categories`. */
  readonly subject?: string | undefined;
  /** The `id` of an event: returns only later ones. 410 `events_expired`: later events are no longer kept, or the database was restored or copied since. */
  readonly after?: string | undefined;
}

/** The query of streamEvents. */
export interface StreamEventsQuery {
  /** Returns only the events of one of these types. May be repeated. */
  readonly type?: readonly ('pet.created' | 'pet.updated' | 'pet.deleted' | 'pets.imported' | 'order.placed' | 'order.approved' | 'order.delivered' | 'order.cancelled' | 'order.expired' | 'order.returned' | 'order.updated' | 'order.deleted' | 'category.created' | 'category.updated' | 'category.deleted' | 'categories.imported' | 'api_key.created' | 'api_key.rotated' | 'api_key.revoked' | 'webhook_endpoint.disabled')[] | undefined;
  /** Returns only the events of this resource, such as `pets/7`, `orders/4`, `categories/3` or `api-keys/2`: its history, even after it was deleted. The subject of an import is `pets` or `categories`. */
  readonly subject?: string | undefined;
  /** The `id` of an event: the stream starts after it. 410 `events_expired`: later events are no longer kept, or the database was restored or copied since. */
  readonly after?: string | undefined;
}

/** The query of listWebhookEndpoints. */
export interface ListWebhookEndpointsQuery {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
}

/** The query of listWebhookDeliveries. */
export interface ListWebhookDeliveriesQuery {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
}

/** The query of listApiKeys. */
export interface ListApiKeysQuery {
  /** Maximum number returned. */
  readonly limit?: number | undefined;
  /** The position of the page, from the Link header of the previous page. The filters and the order must be the same. */
  readonly cursor?: string | undefined;
}
