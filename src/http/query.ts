import { z } from '@hono/zod-openapi';
import { type Refusal, refuse } from './errors.ts';
import { describeIssues, sentenceOf, shortened } from './validation.ts';

/** A query parameter that holds a whole number within bounds, in canonical digits. */
export function queryInteger(bounds: { minimum: number; maximum: number; default: number }) {
  const { minimum, maximum } = bounds;
  return z
    .string()
    .transform((text, issues) => {
      const value = /^(?:0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN;
      if (value >= minimum && value <= maximum) return value;
      issues.addIssue(`must be a whole number from ${minimum} to ${maximum}`);
      return z.NEVER;
    })
    .default(bounds.default)
    .openapi({ type: 'integer', ...bounds });
}

/** What an operation without query parameters takes. */
export const NO_PARAMETERS = z.object({});

/**
 * Reads a query string against a schema whose fields parse strings, or arrays of strings for
 * parameters that may be repeated. Unknown parameters are ignored, unless `strict`.
 */
export function readQuery<S extends z.ZodObject>(
  query: string,
  schema: S,
  strict: boolean,
): z.output<S> | Refusal {
  if (query === '' && schema === NO_PARAMETERS) return {} as z.output<S>;
  const { found, problems } = sortOut(groupByName(query), schema, strict);
  const parsed = schema.safeParse(found);
  if (parsed.success && problems.length === 0) return parsed.data;
  if (!parsed.success) problems.push(...describeIssues(parsed.error));
  return refuse('invalid_parameter', sentenceOf([...new Set(problems)]));
}

/** The parameters that the schema knows, each as often as it may stand. */
function sortOut(sent: ReadonlyMap<string, string[]>, schema: z.ZodObject, strict: boolean) {
  const found: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, values] of sent) {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const problem = field ? problemOf(field, values) : strict && 'is not a known parameter';
    if (problem) problems.push(`${shortened(name)}: ${problem}`);
    else if (field) found[name] = isRepeatable(field) ? values : values[0];
  }
  return { found, problems };
}

const problemOf = (field: unknown, values: readonly string[]): string | undefined =>
  values.length > 1 && !isRepeatable(field) ? 'must not be given more than once' : undefined;

const isRepeatable = (field: unknown): boolean =>
  field instanceof z.ZodArray || (field instanceof z.ZodOptional && isRepeatable(field.unwrap()));

/** The values of each parameter, in their order. */
function groupByName(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeQuery(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decodeQuery(pair.slice(equals + 1));
    const earlier = values.get(name);
    if (earlier) earlier.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** Form decoding: a plus sign is a space. What is not valid percent-encoding stays as it is. */
function decodeQuery(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
