const QUOTED = /[",\r\n]/;

/** Renders a row with its line end. Cells are quoted if necessary (RFC 4180). */
export const renderCsvRow = (cells: readonly string[]): string =>
  `${cells.map((text) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join()}\n`;

/** The first characters of a text that a spreadsheet runs as a formula, also in full width (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text that no spreadsheet runs as a formula. */
export const guardFormulas = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
