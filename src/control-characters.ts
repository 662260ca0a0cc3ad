/**
 * The controls of C0, C1, DEL and the text direction (Unicode UAX 9), as ranges of a JSON Schema pattern. Those above
 * U+00FF stand in it as they are: the readers of Go and Perl refuse the escape `\u202a`.
 */
export const CONTROL_RANGES = '\\x00-\\x1f\\x7f-\\x9f\u202a-\u202e\u2066-\u2069';

/** The same with the marks of the direction of text, which keyboards write beside Arabic and Hebrew words. A terminal obeys all of them. */
export const TERMINAL_RANGES = `${CONTROL_RANGES}\u061c\u200e\u200f`;

const CONTROLS = new RegExp(`[${CONTROL_RANGES}]`, 'u');
const OBEYED = new RegExp(`[${TERMINAL_RANGES}]`, 'gu');

export const hasControlCharacter = (text: string): boolean => CONTROLS.test(text);

/** Whether a terminal obeys a character of the text instead of showing it. */
export const isObeyedByTerminals = (text: string): boolean => text.search(OBEYED) !== -1;

/** Replaces each character that a terminal obeys by its escape in JSON and JavaScript, such as `\u001b`. */
export const escapeControlCharacters = (text: string): string =>
  text.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
