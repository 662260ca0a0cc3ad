/** The rules of names, once for requests, files and the forms of the console. */

/** Counted in Unicode code points. */
export const MAX_NAME_LENGTH = 255;

const PROBLEMS = {
  type: 'must be a string',
  blank: 'must not be empty or only white space',
  surrogate: 'must not contain a lone surrogate',
  null: 'must not contain the character U+0000',
  long: `must be at most ${MAX_NAME_LENGTH} characters long`,
} as const;

export type NameFault = keyof typeof PROBLEMS;

/** What is wrong with a value as a name: a name is any text that can be stored exactly. */
export function nameFault(name: unknown): NameFault | undefined {
  if (typeof name !== 'string') return 'type';
  if (name.trim() === '') return 'blank';
  if (!name.isWellFormed()) return 'surrogate';
  if (name.includes('\0')) return 'null';
  return name.length > MAX_NAME_LENGTH && [...name].length > MAX_NAME_LENGTH ? 'long' : undefined;
}

/** The reason why a value cannot be a name. */
export function nameProblem(name: unknown): string | undefined {
  const fault = nameFault(name);
  return fault && PROBLEMS[fault];
}
