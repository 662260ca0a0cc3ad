/** Loads a file of any size, one animal per line: docs/recipes.md. */
import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { AnimalStore, type NewPet, parseJson } from '@animal-store/client';

const [file = ''] = process.argv.slice(2);
const { STORE: baseUrl = '', KEY: apiKey = '' } = process.env;
const store = new AnimalStore({ baseUrl, apiKey, maxRetries: 8 });

function parse(line: string, number: number): NewPet {
  try {
    return parseJson(line) as NewPet;
  } catch (cause) {
    throw new Error(`Line ${number} of ${file} is no JSON.`, { cause });
  }
}

/** Without `readline`, which ends a line also at U+2028. JSON may contain it. */
async function* animals(): AsyncGenerator<NewPet> {
  let rest = '';
  let number = 1;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of createReadStream(file)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parse(line, number++);
  }
  rest += decoder.decode();
  if (rest !== '') yield parse(rest, number);
}

const progressFile = `${file}.progress`;
function save(progress: { key: string; count: number; time: number }): void {
  writeFileSync(`${progressFile}.new`, JSON.stringify(progress), { flush: true });
  renameSync(`${progressFile}.new`, progressFile);
}

if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
// The key is on disk before the first request.
if (!existsSync(progressFile)) save({ key: randomUUID(), count: 0, time: Date.now() });
const { key, count: from, time } = JSON.parse(readFileSync(progressFile, 'utf8'));
if (Date.now() - time > 23 * 3_600_000)
  throw new Error(`Too late: compare ${progressFile} with the catalogue.`);

const total = await store.pets.bulkCreate(animals(), {
  idempotencyKey: key,
  from,
  onProgress({ count }) {
    save({ key, count, time: Date.now() });
    console.log(`${count} animals`);
  },
});
console.log(`${total} animals of ${file} are stored.`);
