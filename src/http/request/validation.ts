import { type Refusal, refuse } from '../contract/errors.ts';
import { faultAt, messageOf, type Path } from '../contract/faults.ts';
import { z } from '../contract/zod.ts';
import type { JsonObject } from './body.ts';

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

/** The paths of all unknown fields, at every depth. */
function* unknownFields(value: unknown, schema: unknown, path: Path): Generator<Path> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    yield* unknownFields(value, schema.unwrap(), path);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* unknownFields(item, schema.element, [...path, index]);
    }
  } else if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      const below = [...path, name];
      if (Object.hasOwn(schema.shape, name)) {
        yield* unknownFields(field, schema.shape[name], below);
      } else yield below;
    }
  }
}

/** A fault for each issue. */
export const faultsIn = (error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => faultAt(path, message));
