/** The parameter `name` of lists. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const NAMES = ['Rex', 'Café', 'rexy 100%', 'T_Rex', 'Ἀργος', 'น้ำตาล', 'Straße', '🐕 Rex', 'a"b\\c'];

const LISTS = [
  { path: '/v1/pets', add: 'animals' },
  { path: '/v1/categories', add: 'categories' },
] as const;

const service = useService();
beforeAll(async () => {
  for (const [index, name] of NAMES.entries()) {
    await service.addPet({ name, categoryId: index % 2, status: 'available' });
    await service.request('PUT', `/v1/categories/${index + 1}`, { body: { name } });
  }
});

describe.each(LISTS)('$path?name=', ({ path }) => {
  const get = (query: string) => service.request('GET', `${path}?${query}`);
  const search = async (text: string, others = '') => {
    const { json } = await get(`name=${encodeURIComponent(text)}${others}`);
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

  test.each([
    ['', 'name: must have 1 to 100 characters'],
    ['x'.repeat(101), 'name: must have 1 to 100 characters'],
    ['🐕'.repeat(101), 'name: must have 1 to 100 characters'],
    ['rex\0', 'name: must not contain the character U+0000'],
    ['\u0301\u0301', 'name: must contain more than accents and invisible characters'],
    ['\ufe0f', 'name: must contain more than accents and invisible characters'],
  ])('refuses %j', async (text, message) => {
    const { json } = await get(`name=${encodeURIComponent(text)}`);
    expect(json).toMatchObject({ status: 400, code: 'invalid_parameter', message });
  });

  test('a page that is full and has a next one says so, a full last page does not', async () => {
    expect((await get('limit=3&name=rex')).headers.get('link')).not.toBeNull();
    expect((await get('limit=4&name=rex')).headers.get('link')).toBeNull();
  });
});

test('a name with other filters selects the animals that match all', async () => {
  const ids = async (query: string) =>
    ((await service.request('GET', `/v1/pets?name=rex&${query}`)).json as { id: number }[]).map(
      ({ id }) => id,
    );
  expect(await ids('categoryId=0')).toEqual([1, 3]);
  expect(await ids('categoryId=1&status=available')).toEqual([4, 8]);
  expect(await ids('status=sold')).toEqual([]);
  expect(await ids('id=2&id=8&id=3')).toEqual([3, 8]);
});
