import { type ExactJson, type JsonObject, NotAnInt64 } from './exact-json.ts';

/** The limit for a request body, and for a row of an imported file. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const isJsonObject = (value: ExactJson): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof NotAnInt64);
