/**
 * Takes the picture of the console in the README, of a real service with a small shop, in a real browser. Writes it to
 * docs/images, or to the folder of the first argument.
 */
import { join } from 'node:path';
import { PRESETS } from '../console/keys/scopes.ts';
import { AnimalStore, type NewPet } from '../sdk/src/index.ts';
import type { Database } from '../src/storage/database.ts';
import { BY_TEST } from '../test/support/cause.ts';
import { sharedChromium } from '../test/support/chromium.ts';
import { ROOT } from '../test/support/process.ts';
import { listen } from '../test/support/socket.ts';

const [folder = join(ROOT, 'docs/images')] = process.argv.slice(2);

const SIZE = { width: 1280, height: 800 };
const DAY_MS = 24 * 60 * 60_000;

const CATEGORIES = ['Dogs', 'Cats', 'Birds', 'Rabbits', 'Fish'];

/** How many animals of each category are available, pending and sold. */
const STOCK = [
  [14, 2, 9],
  [21, 1, 12],
  [9, 0, 4],
  [17, 3, 8],
  [32, 0, 30],
] as const;

const NAMES = ['Rex', 'Luna', 'Pepper', 'Mimi', 'Nemo', 'Bella', 'Oscar', 'Coco', 'Hazel', 'Milo'];

/** How many animals were sold on each of the last days, yesterday last. */
const SOLD = [
  2, 0, 3, 1, 4, 2, 0, 1, 5, 3, 2, 4, 0, 2, 6, 3, 1, 2, 5, 4, 0, 3, 7, 2, 4, 1, 3, 6, 4,
] as const;

/** Opens a shop: its stock, the sales of its last days, and a morning at its counter. */
async function openShop(till: AnimalStore, database: Database): Promise<void> {
  const pets: NewPet[] = [];
  for (const [index, counts] of STOCK.entries()) {
    const categoryId = index + 1;
    await till.categories.put(categoryId, { name: CATEGORIES[index] ?? '' });
    for (const [place, status] of (['available', 'pending', 'sold'] as const).entries())
      for (let count = counts[place] ?? 0; count > 0; count -= 1)
        pets.push({ name: NAMES[pets.length % NAMES.length] ?? '', categoryId, status });
  }
  await till.pets.createMany(pets);
  await database.write(BY_TEST, ({ orders }) => {
    for (const [daysAgo, count] of SOLD.toReversed().entries()) {
      const at = new Date(Date.now() - (daysAgo + 1) * DAY_MS).toISOString();
      const sale = { status: 'delivered', createdAt: at, deliveredAt: at, endedAt: at } as const;
      for (let sold = 0; sold < count; sold += 1) orders.create({ petId: 25, ...sale });
    }
  });
  for (const petId of [3, 28, 67]) await till.orders.place({ petId, status: 'delivered' });
  for (const [petId, reference] of [
    [5, 'Annegret Huber'],
    [30, 'Jo Okafor'],
    [80, 'Ada Lovelace'],
  ] as const)
    await till.orders.place({ petId, reference });
}

async function takePicture(origin: string, apiKey: string): Promise<void> {
  const browser = await sharedChromium();
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  try {
    await page.goto(origin);
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Rabbits').first().waitFor();
    for (const panel of ['Holds that expire next', 'What happened last'])
      await page.getByRole('region', { name: panel }).locator('.short li').first().waitFor();
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, 'console-today.png'), animations: 'disabled' });
  } finally {
    await page.close();
  }
}

let database: Database | undefined;
const service = await listen({}, (opened) => {
  database = opened;
  return opened;
});
try {
  const { origin, key } = service;
  const manager = new AnimalStore({ apiKey: key, baseUrl: `${origin}/v1` });
  const { key: apiKey } = await manager.apiKeys.create({
    name: 'Till 1',
    scopes: [...PRESETS.counter],
  });
  if (database) await openShop(new AnimalStore({ apiKey, baseUrl: `${origin}/v1` }), database);
  await takePicture(origin, apiKey);
} finally {
  await service.close();
}
// The browser would keep the process. A test imports this script.
if (import.meta.main) process.exit();
