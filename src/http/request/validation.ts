import { type Refusal, refuse } from '../contract/errors.ts';
import { faultAt, messageOf, type Path } from '../contract/faults.ts';
import { z } from '../contract/zod.ts';
import type { JsonObject } from './exact-json.ts';

/** Checks a body against its schema. The refusal names every invalid field. Unknown fields are dropped, unless `strict`. */
export function validateBody<S extends z.ZodObject>(
  body: JsonObject,
  schema: S,
  strict: boolean,
): z.output<S> | Refusal {
  const unknown = strict ? [...unknownFields(body, schema, [])] : [];
  const parsed = schema.safeParse(body);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const faults = parsed.success ? [] : faultsIn(parsed.error);
  faults.push(...unknown.map((path) => faultAt(path, 'is not a known field')));
  return refuse('validation_failed', messageOf(faults));
}

/**
 * The paths of all unknown fields, at every depth. None in an array with too many items, which the schema does not check
 * either: a body of 1 MiB has room for 500,000.
 */
function* unknownFields(value: unknown, schema: unknown, path: Path): Generator<Path> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    yield* unknownFields(value, schema.unwrap(), path);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const items = value.length > maxItemsOf(schema) ? [] : value;
    for (const [index, item] of items.entries())
      yield* unknownFields(item, schema.element, [...path, index]);
  } else if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    yield* unknownFieldsOf(value, schema.shape, path);
  }
}

function* unknownFieldsOf(value: object, shape: z.ZodRawShape, path: Path): Generator<Path> {
  for (const [name, field] of Object.entries(value)) {
    const below = [...path, name];
    if (Object.hasOwn(shape, name)) yield* unknownFields(field, shape[name], below);
    else yield below;
  }
}

function maxItemsOf({ def }: z.ZodArray): number {
  const check = def.checks?.find((one) => one._zod.def.check === 'max_length');
  const { maximum = Number.POSITIVE_INFINITY } = (check?._zod.def ?? {}) as { maximum?: number };
  return maximum;
}

export const faultsIn = (error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => faultAt(path, message));
