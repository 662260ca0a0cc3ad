/**
 * What a search does not see: marks such as accents, Hebrew points, and format characters such as the soft hyphen. Marks of other
 * scripts are kept: in Thai or Devanagari they are vowels.
 */
const UNSEEN = /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}]]\p{Cf}]/gv;

/** What keyboards, telephones and typographers use for the apostrophe. */
const APOSTROPHES = /[‘’ʼ′]/g;

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * Folds a text for the search. Texts become equal that differ only in case, accents, apostrophes or compatible forms of characters.
 * NFKD, without what a search does not see, with one apostrophe, in lower case, and with one lower case sigma.
 * Parts of a text fold to parts of its folded text: a folded name contains a folded term. An exception is a part
 * that ends between the marks of one character, if NFKD puts them in another order.
 * Databases store folded names: a change needs a migration of both engines that folds all names anew.
 */
export function foldText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  const seen = text.normalize('NFKD').replace(UNSEEN, '').replace(APOSTROPHES, "'");
  // Lower case knows two sigmas, by the position in a word. A part of a word has another end.
  return seen.toLowerCase().replaceAll('ς', 'σ');
}
