import { type Refusal, refuse } from '../contract/errors.ts';
import { faultAt, messageOf } from '../contract/faults.ts';
import { z } from '../contract/zod.ts';

/** The schema of an operation without query parameters. */
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
  const { found, faults } = readParameters(query, repeatabilityOf(schema), strict);
  return parseFound(found, schema, faults);
}

/** Reads the headers of a schema, whose fields parse strings. An empty header counts as absent. */
export function readHeaders<S extends z.ZodObject>(
  headers: Headers,
  schema: S,
): z.output<S> | Refusal {
  const found: Record<string, string> = {};
  for (const name in schema.shape) {
    const value = headers.get(name);
    if (value) found[name] = value;
  }
  return parseFound(found, schema, []);
}

/** @param faults those that are already known. */
function parseFound<S extends z.ZodObject>(
  found: Readonly<Record<string, unknown>>,
  schema: S,
  faults: string[],
): z.output<S> | Refusal {
  const parsed = schema.safeParse(found);
  if (parsed.success && faults.length === 0) return parsed.data;
  for (const { path, message } of parsed.error?.issues ?? []) {
    faults.push(faultAt(path.slice(0, 1), message));
  }
  return refuse('invalid_parameter', messageOf([...new Set(faults)]));
}

/** The values of the known parameters, and the faults of repeated and unknown ones. */
function readParameters(
  query: string,
  repeatability: ReadonlyMap<string, boolean>,
  strict: boolean,
) {
  const found: Record<string, string | string[]> = {};
  const faults: string[] = [];
  const repeated = new Set<string>();
  forEachParameter(query, (name, value) => {
    const isRepeatable = repeatability.get(name);
    const earlier = found[name];
    if (isRepeatable === undefined) {
      if (strict) faults.push(faultAt([name], 'is not a known parameter'));
    } else if (earlier === undefined) found[name] = isRepeatable ? [value] : value;
    else if (typeof earlier === 'object') earlier.push(value);
    else {
      faults.push(faultAt([name], 'must not be given more than once'));
      repeated.add(name);
    }
  });
  // It is not known which of two values is meant, so neither is checked.
  for (const name of repeated) delete found[name];
  return { found, faults };
}

function forEachParameter(query: string, visit: (name: string, value: string) => void): void {
  const isEncoded = /[%+]/.test(query);
  for (let start = 0; start < query.length; ) {
    const mark = query.indexOf('&', start);
    const end = mark === -1 ? query.length : mark;
    const pair = query.slice(start, end);
    start = end + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    if (isEncoded) visit(decode(name), decode(value));
    else visit(name, value);
  }
}

/** Form decoding: a plus sign is a space. Invalid percent-encoding stays unchanged. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const repeatabilities = new WeakMap<z.ZodObject, ReadonlyMap<string, boolean>>();

/** The parameters of a schema, and whether each may be repeated. Cached: inspecting the schema takes longer than reading a query. */
function repeatabilityOf(schema: z.ZodObject): ReadonlyMap<string, boolean> {
  const known = repeatabilities.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.shape);
  const repeatability = new Map(fields.map(([name, field]) => [name, isRepeatable(field)]));
  repeatabilities.set(schema, repeatability);
  return repeatability;
}

const isRepeatable = (field: unknown): boolean =>
  field instanceof z.ZodArray || (field instanceof z.ZodOptional && isRepeatable(field.unwrap()));
