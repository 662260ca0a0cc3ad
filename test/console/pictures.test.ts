/** The script that takes the pictures of the README. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { ROOT, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

test('npm run pictures takes each picture of docs/images, of a console that signs in and lists animals', async () => {
  const { argv } = process;
  process.argv = ['bun', 'scripts/pictures.ts', place.path];
  await import(`${ROOT}scripts/pictures.ts`).finally(() => {
    process.argv = argv;
  });
  const shown = readdirSync(`${ROOT}docs/images`).filter((name) => name.endsWith('.png'));
  expect(place.files()).toEqual(shown.sort());
  for (const name of place.files()) {
    const picture = place.read(name);
    // The header of a PNG: the signature, then the width and the height.
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1280, 800]);
  }
});
