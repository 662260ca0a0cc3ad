import { type Refusal, refuse } from '../contract/errors.ts';
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
  const problems = parsed.success ? [] : describeIssues(parsed.error);
  problems.push(...unknown.map((path) => `${pathText(path)}: is not a known field`));
  return refuse('validation_failed', sentenceOf(problems));
}

type Path = readonly PropertyKey[];

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

const MAX_PROBLEMS = 10;
const MAX_NAME_LENGTH = 64;

/** One sentence with the first problems, so that a response is never much larger than its request. */
export function sentenceOf(problems: readonly string[]): string {
  const rest = problems.length - MAX_PROBLEMS;
  const named = problems.slice(0, MAX_PROBLEMS).join('; ');
  return rest > 0 ? `${named}; and ${rest} more.` : `${named}.`;
}

/** Shortens a name from a client for a message. */
export const shortened = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

/** `field: problem` for each issue. `nameOf` renders the path of the field. */
export const describeIssues = (error: z.ZodError, nameOf: (path: Path) => string = pathText) =>
  error.issues.map(({ path, message }) => `${nameOf(path)}: ${message}`);

/** The path of a field, such as `pets[3].name`. */
const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return `${text}${text === '' ? '' : '.'}${shortened(String(part))}`;
  }, '');
