import type { z } from '@hono/zod-openapi';
import type { JsonObject } from './body.ts';
import { type Refusal, refuse } from './errors.ts';

/** Checks a body against its schema: one refusal names every field that is wrong. Unknown fields are dropped, unless `strict`. */
export function validateBody<S extends z.ZodObject>(
  body: JsonObject,
  schema: S,
  strict: boolean,
): z.output<S> | Refusal {
  const unknown = strict
    ? Object.keys(body).filter((key) => !Object.hasOwn(schema.shape, key))
    : [];
  const parsed = schema.safeParse(body);
  if (parsed.success && unknown.length === 0) return parsed.data;
  const problems = parsed.success ? [] : describeIssues(parsed.error);
  problems.push(...unknown.map((key) => `${shortened(key)}: is not a known field`));
  return refuse('validation_failed', sentenceOf(problems));
}

const MOST_PROBLEMS = 10;
const LONGEST_NAME = 64;

/** One sentence that names the problems; of very many the first, so that no answer outgrows its request. */
export function sentenceOf(problems: readonly string[]): string {
  const rest = problems.length - MOST_PROBLEMS;
  const named = problems.slice(0, MOST_PROBLEMS).join('; ');
  return rest > 0 ? `${named}; and ${rest} more.` : `${named}.`;
}

/** A name that a client sent, fit for a message. */
export const shortened = (name: string): string =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;

/** `field: what is wrong with it`, for each. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${String(issue.path[0] ?? '')}: ${issue.message}`);
}
