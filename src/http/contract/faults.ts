import { type Refusal, refuse } from './errors.ts';

/**
 * The messages that name fields or parameters. Clients may rely on their grammar, to show each fault at its field:
 *
 *     message = fault *( "; " fault ) [ "; and " count " more" ]
 *     fault   = path ": " text            ; no ";" in the text
 *     path    = name *( "." name / "[" index "]" )
 *     name    = 1*( letter / digit / "_" ) / a JSON string
 */

/** The codes whose messages name fields or parameters. */
export type FieldErrorCode = 'validation_failed' | 'invalid_parameter' | 'read_only_field';

/** The names of fields and the positions in arrays that lead to a value. */
export type Path = readonly PropertyKey[];

/** A fault: where it is, and what is allowed there. */
export const faultAt = (path: Path, text: string): string => `${pathText(path)}: ${text}`;

const MAX_FAULTS = 10;

/** The message with the first faults, so that a response is never much larger than its request. */
export function messageOf(faults: readonly string[]): string {
  const rest = faults.length - MAX_FAULTS;
  const named = faults.slice(0, MAX_FAULTS).join('; ');
  return rest > 0 ? `${named}; and ${rest} more` : named;
}

/** Refuses the value of one field. */
export const refuseField = <const Code extends FieldErrorCode>(
  code: Code,
  field: string,
  text: string,
): Refusal<Code> => refuse(code, messageOf([faultAt([field], text)]));

/** The path of a value, such as `pets[3].name`. */
const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return `${text}${text === '' ? '' : '.'}${nameText(String(part))}`;
  }, '');

const PLAIN_NAME = /^[A-Za-z0-9_]+$/;
const MAX_NAME_LENGTH = 64;

/** A name may come from a client: a long one is shortened, and any other than a plain one is quoted. */
function nameText(name: string): string {
  const shown = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return PLAIN_NAME.test(shown) ? shown : JSON.stringify(shown);
}
