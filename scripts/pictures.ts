/**
 * Takes the picture of the console in the README, of a real service with a small catalogue, in a real browser. Writes it
 * to docs/images, or to the folder of the first argument.
 */
import { join } from 'node:path';
import { AnimalStore, type NewPet } from '../sdk/src/index.ts';
import { startChromium } from '../test/support/chromium.ts';
import { inWorkplace, ROOT, startService, withService } from '../test/support/process.ts';

const [folder = join(ROOT, 'docs/images')] = process.argv.slice(2);

const SIZE = { width: 1280, height: 800 };

const CATEGORIES = ['Dogs', 'Cats', 'Birds', 'Rabbits', 'Fish'];

/** An animal of each row: name, category from 1, status. */
const ANIMALS: readonly [string, number, NewPet['status']][] = [
  ['Rex', 1, 'available'],
  ['Luna', 2, 'available'],
  ['Pepper the parrot', 3, 'available'],
  ['Mimi', 4, 'sold'],
  ['Nemo', 5, 'available'],
  ['Bella', 1, 'available'],
  ['Oscar', 2, undefined],
  ['Coco', 3, 'available'],
  ['Hazel', 4, 'available'],
  ['Bubbles', 5, 'sold'],
  ['Charlie', 1, 'available'],
  ['Milo', 2, 'available'],
];

async function fill(store: AnimalStore): Promise<void> {
  for (const [index, name] of CATEGORIES.entries()) await store.categories.put(index + 1, { name });
  for (const [name, categoryId, status] of ANIMALS)
    await store.pets.create({ name, categoryId, ...(status && { status }) });
  await store.orders.place({ petId: 2 });
}

const takePictures = inWorkplace(async ({ database }) => {
  await withService(await startService(database), async ({ origin, firstKey: apiKey = '' }) => {
    await fill(new AnimalStore({ apiKey, baseUrl: `${origin}/v1` }));
    const browser = await startChromium();
    try {
      const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
      await page.goto(origin);
      await page.getByLabel('API key').fill(apiKey);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Pepper the parrot').waitFor();
      await page.mouse.move(0, 0);
      await page.screenshot({
        path: join(folder, 'console-animals.png'),
        // The pointer has just left a row, whose colour fades.
        animations: 'disabled',
      });
    } finally {
      await browser.close();
    }
  });
});

await takePictures();
