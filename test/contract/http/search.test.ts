/** The texts that lists look for. What they find is tested in test/storage/search.test.ts and order-search.test.ts. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const NAMES = ['Rex', 'Café', 'rexy 100%', 'T_Rex', 'Ἀργος', 'น้ำตาล', 'Straße', '🐕 Rex', 'a"b\\c'];

const service = useService();
beforeAll(async () => {
  for (const [index, name] of NAMES.entries()) {
    await service.addPet({ name, categoryId: index % 2, status: 'available' });
    await service.request('PUT', `/v1/categories/${index + 1}`, { body: { name } });
  }
});

describe.each(['/v1/pets', '/v1/categories'])('%s?name=', (path) => {
  const search = async (text: string, others = '') => {
    const query = `name=${encodeURIComponent(text)}${others}`;
    const { json } = await service.request('GET', `${path}?${query}`);
    return (json as { name: string }[]).map(({ name }) => name);
  };

  test.each([
    ['REX', ['Rex', 'rexy 100%', 'T_Rex', '🐕 Rex']],
    ['cafe', ['Café']],
    ['strasse', []],
    ['%', ['rexy 100%']],
    ['_', ['T_Rex']],
    ['"b\\', ['a"b\\c']],
    ['🐕 r', ['🐕 Rex']],
    [' ', ['rexy 100%', '🐕 Rex']],
    ['x'.repeat(100), []],
    ['🐕'.repeat(100), []],
  ])('%s finds %j', async (text, found) => {
    expect(await search(text)).toEqual(found);
    expect(await search(text, '&sort=-id')).toEqual(found.toReversed());
  });
});

test.each(['/v1/pets?name=', '/v1/store/orders?text='])(
  '%s is refused with a text of a wrong length, with U+0000, or of accents alone',
  async (path) => {
    for (const text of ['', 'x'.repeat(101), 'rex\0', '\u0301\ufe0f']) {
      const { code } = await service.request('GET', path + encodeURIComponent(text));
      expect([text, code]).toEqual([text, 'invalid_parameter']);
    }
  },
);
