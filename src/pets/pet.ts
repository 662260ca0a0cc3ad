import { z } from '@hono/zod-openapi';
import { INT64_RANGE, type Int64, isInt64, parseInt64 } from '../int64.ts';

const required = (issue: { input?: unknown }, otherwise: string) =>
  issue.input === undefined ? 'is required' : otherwise;

const int64 = () =>
  z.custom<Int64>(isInt64, {
    error: (issue) => required(issue, `must be an integer from ${INT64_RANGE}`),
  });

const MAX_NAME_LENGTH = 255;

/** Why a text cannot be a name, if so. Length is counted in Unicode code points. */
function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be a string';
  if (name.trim() === '') return 'must not be empty or only white space';
  if (!name.isWellFormed()) return 'must not hold a lone surrogate';
  if (name.includes('\0')) return 'must not hold the character U+0000';
  if (name.length > MAX_NAME_LENGTH && [...name].length > MAX_NAME_LENGTH) {
    return `must be at most ${MAX_NAME_LENGTH} characters long`;
  }
  return undefined;
}

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export const PetStatus = z
  .enum(PET_STATUSES, { error: `must be one of ${PET_STATUSES.join(', ')}` })
  .openapi('PetStatus', { description: 'Availability of an animal.' });
export type PetStatus = z.infer<typeof PetStatus>;

const newPetFields = {
  name: z
    .custom<string>((name) => nameProblem(name) === undefined, {
      error: (issue) => required(issue, nameProblem(issue.input) ?? ''),
    })
    .openapi({
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      pattern: '\\S',
      description: "The animal's name. Kept and returned exactly as sent.",
    }),
  categoryId: int64().openapi({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the category the animal belongs to.',
  }),
  status: PetStatus.optional(),
};

export const NewPet = z.object(newPetFields).openapi('NewPet', {
  description: 'An animal to be added.',
});
export type NewPet = z.infer<typeof NewPet>;

export const Pet = z
  .object({
    id: int64().openapi({
      type: 'integer',
      format: 'int64',
      description: 'Unique identifier, assigned by the service and never reused.',
    }),
    ...newPetFields,
  })
  .openapi('Pet', { description: 'An animal of the catalogue.' });
export type Pet = z.infer<typeof Pet>;

/** An identifier as it stands in a path or a query: canonical digits within 64 bits. */
export const PetIdText = z.string().transform((text, issues) => {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  issues.addIssue('must be an identifier in digits');
  return z.NEVER;
});
