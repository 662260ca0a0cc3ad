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
  problems.push(...unknown.map((key) => `${key}: is not a known field`));
  return refuse('validation_failed', `${problems.join('; ')}.`);
}

/** `field: what is wrong with it`, for each. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}
