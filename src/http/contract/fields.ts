import { parseTime, toIso } from '../../clock.ts';
import { foldText } from '../../fold-text.ts';
import { INT64_RANGE, type Int64, isInt64, parseInt64 } from '../../int64.ts';
import { MAX_NAME_LENGTH, nameProblem } from '../../name-problem.ts';
import { BETA } from './additions.ts';
import type { Refusal } from './errors.ts';
import { refuseField } from './faults.ts';
import { z } from './zod.ts';

/** How long something replaced stays valid, in a body. */
export const gracePeriodField = (maximum: number, description: string) =>
  z
    .custom<number>(
      (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maximum,
      { error: (issue) => required(issue, `must be an integer from 0 to ${maximum}`) },
    )
    .openapi({ type: 'integer', format: 'int32', minimum: 0, maximum, description });

/** The text of a fault: `otherwise`, unless the field is missing. */
export const required = (issue: { input?: unknown }, otherwise: string) =>
  issue.input === undefined ? 'is required' : otherwise;

/** A 64-bit integer in a body. */
export const int64Field = (description: string) =>
  z
    .custom<Int64>(isInt64, {
      error: (issue) => required(issue, `must be an integer from ${INT64_RANGE}`),
    })
    .openapi({ type: 'integer', format: 'int64', description });

/** The id in the body of a change. A client may send the resource as it received it. */
export const unchangedIdField = int64Field(
  'Cannot be changed. A value other than the id in the path is refused.',
).optional();

/** The refusal if a body has another id than the path. */
export const refuseOtherId = (
  sent: Int64 | undefined,
  id: Int64,
): Refusal<'read_only_field'> | undefined =>
  sent === undefined || sent === id
    ? undefined
    : refuseField('read_only_field', 'id', 'cannot be changed');

/** An integer in a response that counts something. */
export const countField = (description: string) =>
  z.int().openapi({
    format: 'int64',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });

/** Ids of API keys are positive safe integers. */
export const KEY_ID = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** The id of an API key in a response. */
export const keyIdField = (description: string) => z.int().openapi({ ...KEY_ID, description });

/** A time in a response, in UTC with milliseconds (RFC 3339). */
export const timeField = (description: string) =>
  z.iso.datetime().openapi({ maxLength: 24, description });

/**
 * A time in a request (RFC 3339), as milliseconds since 1970-01-01T00:00:00Z.
 * @param plus how the message writes a plus sign.
 */
const timeText = (plus: string) => {
  const text = `must be a time such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00${plus}01:00`;
  return z.string({ error: (issue) => required(issue, text) }).transform((sent, issues) => {
    const ms = parseTime(sent);
    if (ms !== undefined) return ms;
    issues.addIssue(text);
    return z.NEVER;
  });
};

/** A time in a body. */
export const timeInput = (description: string) =>
  timeText('+').openapi({ type: 'string', format: 'date-time', description });

/** The times that RFC 3339 can express in UTC, in milliseconds since 1970-01-01T00:00:00Z. */
const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** A time in a query, in UTC with milliseconds: a list needs one spelling of each filter. */
export const timeParameter = (description: string, example: string) =>
  timeText('%2B')
    .transform((ms) => toIso(Math.min(Math.max(ms, FIRST_TIME), LAST_TIME)))
    .optional()
    .openapi({ type: 'string', format: 'date-time', param: { description, example } });

/**
 * At least one character that is not white space, and no U+0000. A pattern cannot also exclude lone
 * surrogates: without the flag `u`, which many tools do not set, it would exclude all pairs.
 */
const NAME_PATTERN = '^[^\\x00]*[^\\s\\x00][^\\x00]*$';

/** What can be a name: by default, any text that can be stored exactly. */
interface NameRule {
  readonly problemOf: (name: unknown) => string | undefined;
  readonly pattern: string;
}

/** A name in a body, stored exactly as sent. */
export const nameField = (
  description: string,
  { problemOf, pattern }: NameRule = { problemOf: nameProblem, pattern: NAME_PATTERN },
) =>
  z
    .custom<string>((name) => problemOf(name) === undefined, {
      error: (issue) => required(issue, problemOf(issue.input) ?? ''),
    })
    .openapi({
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      pattern,
      description: `${description} Stored and returned exactly as sent.`,
    });

const MAX_SEARCH_LENGTH = 100;

/**
 * The parameter that selects by a part of the name.
 * @param items the plural of what is selected.
 * @param what happens to them.
 */
export const nameSearch = (items: string, example: string, what = 'Returns') =>
  z
    .string()
    .superRefine((text, issues) => {
      const problem = searchProblem(text);
      if (problem !== undefined) issues.addIssue(problem);
    })
    .optional()
    .openapi({
      type: 'string',
      minLength: 1,
      maxLength: MAX_SEARCH_LENGTH,
      pattern: '^[^\\x00]*$',
      param: {
        ...BETA,
        description: `${what} only the ${items} whose name contains this text. Case, accents, kinds of apostrophes and invisible characters do not matter: \`cafe\` finds \`Café\`.`,
        example,
      },
    });

/** The reason why a text cannot be looked for. The length is counted in Unicode code points. */
function searchProblem(text: string): string | undefined {
  if (text === '' || [...text].length > MAX_SEARCH_LENGTH)
    return `must have 1 to ${MAX_SEARCH_LENGTH} characters`;
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return foldProblem(text);
}

/** The reason why nothing is left of a text that a search compares. */
export const foldProblem = (text: string): string | undefined =>
  foldText(text) === '' ? 'must contain more than accents and invisible characters' : undefined;

/**
 * An array in a body with 1 to `max` items. If there are too many, the schema checks none of them.
 * @param items the plural of what it contains.
 */
export function arrayField<Item extends z.ZodType>(item: Item, max: number, items: string) {
  const text = `must be an array of 1 to ${max} ${items}`;
  return z
    .array(item, { error: (issue) => required(issue, text) })
    .min(1, text)
    .max(max, text);
}

/** One of several words in a body. */
export const enumField = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: (issue) => required(issue, `must be one of ${words.join(', ')}`) });

/** A 64-bit integer in a path or a query, in canonical digits. */
export const Int64Text = z
  .string()
  .transform((text, issues) => {
    const id = parseInt64(text);
    if (id !== undefined) return id;
    issues.addIssue(`must be an integer in digits, from ${INT64_RANGE}`);
    return z.NEVER;
  })
  .openapi({ type: 'integer', format: 'int64' });

/** The path parameter of a resource with an id. */
export const idParameter = <const Name extends string>(name: Name, description: string) =>
  z.object({ [name]: Int64Text.openapi({ param: { description, example: 1 } }) } as {
    [Key in Name]: typeof Int64Text;
  });

/**
 * Makes a function that removes the fields that are null, and puts the others in the order of a schema. An entity tag is
 * computed from the text, so the order matters.
 */
export function inOrderOf<S extends z.ZodObject>(schema: S) {
  const fields = Object.keys(schema.shape);
  return (changed: Readonly<Record<string, unknown>>): z.output<S> => {
    const ordered: Record<string, unknown> = {};
    for (const field of fields) if (changed[field] != null) ordered[field] = changed[field];
    return ordered as z.output<S>;
  };
}

/** An integer in a query: in canonical digits, within bounds. */
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
    .openapi({ type: 'integer', format: 'int32', ...bounds });
}
