/** Keeps a copy of all animals in a local database: docs/recipes.md. It runs with Bun. On Node.js, only the lines with `copy` change. */
import { Database } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnimalStore, type FeedEvent, isApiError } from '@animal-store/client';

const { STORE: baseUrl = '', KEY: apiKey = '' } = process.env;
const store = new AnimalStore({
  baseUrl,
  apiKey,
  int64: 'string',
  onRetry: ({ error }) => console.error(String(error)),
});

const [file] = process.argv.slice(2);
if (!file) throw new Error('Name the file of the copy.');
const copy = new Database(file);
copy.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL');
copy.exec(
  'CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, pet TEXT); CREATE TABLE IF NOT EXISTS position (event TEXT)',
);
const put = (pet: { id: string }) =>
  copy.query('INSERT OR REPLACE INTO pets VALUES (?, ?)').run(pet.id, JSON.stringify(pet));
const remove = (pet: { id: string }) => copy.query('DELETE FROM pets WHERE id = ?').run(pet.id);
const position = () => copy.query<{ event: string }, []>('SELECT event FROM position').get()?.event;
const moveTo = (event: string) =>
  copy.exec(`DELETE FROM position; INSERT INTO position VALUES ('${event}')`);

/** The position first: what changes while the catalogue is read comes again as an event. An empty store may have none yet. */
async function load() {
  const newestFirst = store.events.list({ sort: '-id', limit: 1 });
  let [newest] = await newestFirst.toArray({ limit: 1 });
  if (!newest) console.log('Waiting for the first event.');
  for (; !newest; [newest] = await newestFirst.toArray({ limit: 1 })) await sleep(500);
  const pets = await store.pets.list({ limit: 100 }).toArray();
  copy.transaction(() => {
    copy.exec('DELETE FROM pets');
    pets.forEach(put);
    moveTo(newest.id);
  })();
  console.log(`${pets.length} animals`);
}

const apply = copy.transaction((event: FeedEvent<string>) => {
  if (event.type === 'pet.created' || event.type === 'pet.updated') put(event.data);
  if (event.type === 'pet.deleted') remove(event.data);
  moveTo(event.id);
});

for (let isNew = position() === undefined; ; isNew = true) {
  if (isNew) await load();
  try {
    const type = ['pet.created', 'pet.updated', 'pet.deleted', 'pets.imported'] as const;
    for await (const event of store.events.stream({ type, after: position() })) {
      if (event.type === 'pets.imported') break;
      apply(event);
      console.log(event.type, event.subject);
    }
  } catch (error) {
    // Events between may be missing: they were deleted, or the database of the service was restored.
    if (!isApiError(error, 'events_expired')) throw error;
  }
}
