/** Marks such as accents. Those of a script of its own are kept: in Thai or Devanagari they are vowels. */
const SHARED_MARKS = /[\p{M}&&\p{Script=Inherited}]/gv;

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * Folds a text for the search: texts that differ only in case, accents or compatible forms of characters become equal.
 * NFKD, without the marks of the script Inherited, in lower case, and with one lower case sigma.
 * Parts of a text fold to parts of its folded text, so a folded term can be looked for in a folded name. An exception is a part
 * that ends between the marks of one character, if NFKD puts them in another order.
 * Databases store folded names: a change needs a migration of both engines that folds all names anew.
 */
export function foldText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  // Lower case knows two sigmas, by the position in a word. A part of a word has another end.
  return text.normalize('NFKD').replace(SHARED_MARKS, '').toLowerCase().replaceAll('ς', 'σ');
}
