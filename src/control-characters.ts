/**
 * The characters that a terminal obeys instead of showing them: the controls of C0 and C1, DEL, and the controls of the
 * direction of text (Unicode UAX 9).
 */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The same as ranges within the brackets of a pattern of JSON Schema. */
export const CONTROL_RANGES = String.raw`\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069`;

export const hasControlCharacter = (text: string): boolean => text.search(CONTROLS) !== -1;

/** Replaces each control character by its escape in JSON and JavaScript, such as `\u001b`. */
export const escapeControlCharacters = (text: string): string =>
  text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
