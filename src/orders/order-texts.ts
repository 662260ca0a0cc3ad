import { CONTROL_RANGES, hasControlCharacter } from '../control-characters.ts';
import { foldProblem } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';

/** The texts by which a client recognises its orders. They may name a person: no log, metric or message contains them. */

interface TextRule {
  readonly maxLength: number;
  /** Whether the text may have several lines. */
  readonly hasLines: boolean;
}

export const REFERENCE: TextRule = { maxLength: 100, hasLines: false };
export const NOTE: TextRule = { maxLength: 1_000, hasLines: true };
/** A part of one of them. */
const PART: TextRule = { maxLength: 100, hasLines: true };

/** The reason why a value cannot be such a text. The length is counted in Unicode code points. */
function textProblem(text: unknown, { maxLength, hasLines }: TextRule): string | undefined {
  if (typeof text !== 'string') return 'must be a string';
  if (text === '' || (text.length > maxLength && [...text].length > maxLength))
    return `must have 1 to ${maxLength} characters`;
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  if (!hasControlCharacter(hasLines ? text.replaceAll('\n', '') : text)) return undefined;
  return `must not contain control characters${hasLines ? ' other than line feeds' : ''}`;
}

/** Without the line feed, `\x0a`, if there may be several lines. */
const patternOf = ({ hasLines }: TextRule): string =>
  `^[^${hasLines ? CONTROL_RANGES.replace('-', String.raw`-\x09\x0b-`) : CONTROL_RANGES}]*$`;

/** Such a text in a body. */
export const textField = (rule: TextRule, description: string) =>
  z
    .custom<string>((text) => textProblem(text, rule) === undefined, {
      error: ({ input }) => textProblem(input, rule) ?? '',
    })
    .openapi({
      type: 'string',
      minLength: 1,
      maxLength: rule.maxLength,
      pattern: patternOf(rule),
      description,
    });

/** The same in a merge patch, where null removes it. */
export const textPatchField = (rule: TextRule, description: string) =>
  z
    .union([textField(rule, description), z.null()], {
      error: ({ input }) => textProblem(input, rule) ?? '',
    })
    .openapi({ description: `${description} Null removes it.` });

/** The same as a parameter of a list. */
export const textParameter = (rule: TextRule) =>
  z
    .string()
    .superRefine((text, issues) => {
      const problem = textProblem(text, rule);
      if (problem !== undefined) issues.addIssue(problem);
    })
    .openapi({ minLength: 1, maxLength: rule.maxLength, pattern: patternOf(rule) });

/** A part of such a text that a search looks for. */
export const textSearch = textParameter(PART).superRefine((text, issues) => {
  const problem = textProblem(text, PART) === undefined ? foldProblem(text) : undefined;
  if (problem !== undefined) issues.addIssue(problem);
});
