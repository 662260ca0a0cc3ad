/** How names are folded for the search. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldText } from '../../src/fold-text.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { anyWorldName, foldSlowly } from '../support/names.ts';

describe('folding', () => {
  test.each([
    ['Rex', 'rex'],
    ['CAFÉ', 'cafe'],
    ['Cafe\u0301', 'cafe'],
    ['ÅSE', 'ase'],
    ['İstanbul', 'istanbul'],
    ['ΑΣ ΑΣΑ', 'ασ ασα'],
    ['ας', 'ασ'],
    ['Ёж', 'еж'],
    ['ﬁﬁ', 'fifi'],
    ['Ｌｕｎａ', 'luna'],
    ['ﾈｺ', 'ネコ'],
    ['❤\ufe0f', '❤'],
    ['قِطّة', 'قطة'],
    ['𝐑𝐞𝐱', 'rex'],
    ['r\u00ade\u200bx\u2060', 'rex'],
    ['\u202erex\ufeff', 'rex'],
    ['שָׁלוֹם', 'שלום'],
    ['בְּרֵאשִׁ֖ית', 'בראשית'],
    ["O’Neill ‘ʼ′'＇", "o'neill '''''"],
    ['ŉ', "'n"],
  ])('%s is %s', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  test.each([
    ['Straße', 'strasse'],
    ['ı', 'i'],
    ['ø', 'o'],
    ['น้ำ', 'นา'],
    ['बिल्ली', 'बल'],
  ])('%s keeps the letters and vowels that make it another word than %s', (text, other) => {
    expect(foldText(text)).not.toBe(foldText(other));
  });

  test('is the same as character by character', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), anyWorldName), (text) => {
        expect(foldText(text)).toBe(foldSlowly(text));
      }),
    );
  });

  test('twice is the same as once', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), anyWorldName), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
    );
  });

  // Databases store folded names. If this fails after an update of the runtime, its Unicode data has changed: add a
  // migration of both engines that folds all names anew, and then correct this test.
  test('of all characters is what databases contain', () => {
    const hash = new Bun.CryptoHasher('sha256');
    // Many at once: folding a line is folding its characters.
    for (let first = 0; first <= 0x10ffff; first += 0x800) {
      const isSurrogate = first === 0xd800;
      const codes = Array.from({ length: isSurrogate ? 0 : 0x800 }, (_, index) => first + index);
      const lines = foldText(codes.map((code) => String.fromCodePoint(code)).join('\0\n')).split(
        '\0\n',
      );
      expect(lines).toHaveLength(codes.length || 1);
      for (const [index, code] of codes.entries())
        if (lines[index] !== String.fromCodePoint(code)) hash.update(`${code} ${lines[index]}\n`);
    }
    expect(hash.digest('hex')).toBe(
      'a6d7bcf13d0f9e8fe8bf3c2dd2a5c67b66eef3ec8432be7fc7dd6b54ccf8ba33',
    );
  });
});
