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
  const { found, problems } = sortOut(query, repeatabilityOf(schema), strict);
  const parsed = schema.safeParse(found);
  if (parsed.success && problems.length === 0) return parsed.data;
  if (!parsed.success) problems.push(...describeIssues(parsed.error));
  return refuse('invalid_parameter', sentenceOf([...new Set(problems)]));
}

/** The known parameters with their values, each as often as it may stand. */
function sortOut(query: string, repeatability: ReadonlyMap<string, boolean>, strict: boolean) {
  const found: Record<string, string | string[]> = {};
  const problems: string[] = [];
  forEachParameter(query, (name, value) => {
    const isRepeatable = repeatability.get(name);
    const earlier = found[name];
    if (isRepeatable === undefined) {
      if (strict) problems.push(`${shortened(name)}: is not a known parameter`);
    } else if (earlier === undefined) found[name] = isRepeatable ? [value] : value;
    else if (typeof earlier === 'object') earlier.push(value);
    else problems.push(`${name}: must not be given more than once`);
  });
  return { found, problems };
}

function forEachParameter(query: string, visit: (name: string, value: string) => void): void {
  const isEncoded = /[%+]/.test(query);
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = endOf(query, '&', start, query.length);
    if (end === start) continue;
    const nameEnd = endOf(query, '=', start, end);
    const name = query.slice(start, nameEnd);
    const value = query.slice(nameEnd + 1, end);
    if (isEncoded) visit(decode(name), decode(value));
    else visit(name, value);
  }
}

/** Where a part ends that begins at `start`: before the next mark, or at the limit. */
function endOf(query: string, mark: string, start: number, limit: number): number {
  const index = query.indexOf(mark, start);
  return index === -1 || index > limit ? limit : index;
}

/** Form decoding: a plus sign is a space. What is not valid percent-encoding stays as it is. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const known = new WeakMap<z.ZodObject, ReadonlyMap<string, boolean>>();

/** The parameters of a schema, and whether each may be repeated. Found out once: asking the schema takes longer than reading a query. */
function repeatabilityOf(schema: z.ZodObject): ReadonlyMap<string, boolean> {
  let names = known.get(schema);
  if (names === undefined) {
    names = new Map(
      Object.entries(schema.shape).map(([name, field]) => [name, isRepeatable(field)]),
    );
    known.set(schema, names);
  }
  return names;
}

const isRepeatable = (field: unknown): boolean =>
  field instanceof z.ZodArray || (field instanceof z.ZodOptional && isRepeatable(field.unwrap()));
