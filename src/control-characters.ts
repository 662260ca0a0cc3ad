/**
 * The characters that a terminal obeys instead of showing them, as ranges within the brackets of a pattern of JSON Schema:
 * the controls of C0 and C1, DEL, and the marks and controls of the direction of text (Unicode UAX 9).
 */
export const CONTROL_RANGES = String.raw`\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

const CONTROLS = new RegExp(`[${CONTROL_RANGES}]`, 'gu');

export const hasControlCharacter = (text: string): boolean => text.search(CONTROLS) !== -1;

/** Replaces each control character by its escape in JSON and JavaScript, such as `\u001b`. */
export const escapeControlCharacters = (text: string): string =>
  text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
