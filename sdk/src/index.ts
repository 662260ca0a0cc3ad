/** The client of the Animal Store Service for browsers, Node.js and Bun. */
export { AnimalStore } from './animal-store.ts';
export type { BulkProgress } from './bulk.ts';
export type { Call, ResponseDetails, WithResponse } from './call.ts';
export {
  AnimalStoreError,
  ApiError,
  type ApiErrorCode,
  ConnectionError,
  isApiError,
  TimeoutError,
  UnsupportedError,
  WebhookVerificationError,
} from './errors.ts';
export type { FieldFault } from './faults.ts';
export type * from './generated.ts';
export type { AttemptResult, Hooks, PlannedRetry, SentRequest } from './hooks.ts';
export type { Int64, Int64Input, Int64Mode, Int64Output } from './int64.ts';
export { parseJson, renderJson } from './json.ts';
export type { List, Page } from './list.ts';
export type {
  AnimalStoreOptions,
  BulkOptions,
  CallOptions,
  ChangeOptions,
  CreateOptions,
  PutOptions,
  RequestOptions,
} from './options.ts';
export type { OrdersQuery } from './resources/orders.ts';
export type { CachedResponse, ResponseCache } from './response-cache.ts';
export type {
  ApiKeyEvent,
  CategoryEvent,
  EventType,
  FeedEvent,
  ImportEvent,
  LaterEvent,
  LaterEventType,
  OrderEvent,
  PetEvent,
  WebhookEndpointEvent,
  WebhookEvent,
} from './store-events.ts';
export { VERSION } from './version.ts';
export { testWebhook, type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts';
