import fc from 'fast-check';

/** Syllables of eight scripts, and characters of two UTF-16 units. Some have accents, some vowels that are marks, some several forms of a letter. */
const SYLLABLES: Readonly<Record<string, readonly string[]>> = {
  Latin: 'rex Mi À́ é ß İ ı ﬁ Ｌｕ ÅSE ø ñan Ǆ 12 -'.split(' '),
  Greek: 'ΑΣ ας σα Ἄρ ώ ΐ Ω φί'.split(' '),
  Cyrillic: 'Ба рс й ё Ж ук щ Ї'.split(' '),
  Hebrew: 'חָ תוּ ל שׁ בּ ִי'.split(' '),
  Arabic: 'قِ طّ ة أَ لا ﻻ ـ'.split(' '),
  Thai: 'แม ว กุ่ น้ำ ที่ เสือ'.split(' '),
  Devanagari: 'बि ल्ली कु त्ता क़ हिं'.split(' '),
  'Hangul and Han': '강 아 ㄱ 犬 ネコ ﾈｺ が が'.split(' '),
  Emoji: '🐶 🐕 🦮 ❤️ 𠮷'.split(' '),
};

/** Names of eight scripts: most in one, some in two. At most 255 code points. */
export const anyWorldName = fc
  .array(fc.oneof(...Object.values(SYLLABLES).map((of) => fc.constantFrom(...of, ' '))), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((mixed) =>
    fc
      .constantFrom(...Object.values(SYLLABLES))
      .chain((of) => fc.array(fc.constantFrom(...of, ' '), { minLength: 1, maxLength: 8 }))
      .map((own) => (mixed.length === 3 ? [...own, ...mixed] : own).join('')),
  )
  .filter((name) => name.trim() !== '');

/** Folds as the contract says, character by character, as simply as possible. */
export const foldSlowly = (text: string): string =>
  [...text.normalize('NFKD')]
    .filter((character) => !/\p{Cf}/u.test(character))
    .filter(
      (character) =>
        !(/\p{M}/u.test(character) && /[\p{Script=Inherited}\p{Script=Hebrew}]/u.test(character)),
    )
    .map((character) => (['‘', '’', 'ʼ', '′'].includes(character) ? "'" : character))
    .map((character) => character.toLowerCase())
    .map((character) => (character === 'ς' ? 'σ' : character))
    .join('');
