/** A quote, or a character that ends a cell for a spreadsheet, whatever its list separator is. */
const QUOTED = /[",;\t\r\n]/;

/** Renders a row with its line end. Cells are quoted if necessary (RFC 4180). */
export const renderCsvRow = (cells: readonly string[]): string =>
  `${cells.map((text) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join()}\n`;

/** The first characters of a text that a spreadsheet runs as a formula, also in full width (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Where another cell begins for a spreadsheet with another list separator. Such a spreadsheet sees quotes in the middle of a
 * cell, which do not protect the rest. It drops quotes at the beginning of a cell.
 */
const FORMULA_INSIDE = /[,;\t\r\n](?="*[=+\-@＝＋－＠])/g;

/** A text that no spreadsheet runs as a formula, whether it separates cells by commas, semicolons or tabs. */
export const guardFormulas = (text: string): string =>
  `${FORMULA.test(text) ? "'" : ''}${text.replace(FORMULA_INSIDE, "$&'")}`;
