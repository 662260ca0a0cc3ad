/** The live copy of docs/recipes.md: what it prints, and that its copy is the catalogue after kills of both sides. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { AnimalStore } from '../../sdk/src/index.ts';
import { projectOf } from '../support/guide-program.ts';
import { freePort } from '../support/postgres-home.ts';
import { animalStore, startService, until, workplace } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { useShared } from '../support/use-each.ts';

const mirror = useShared(() => projectOf('mirror'));

test('the commands print what the page shows', async () => {
  const service = await listen();
  await mirror.expectShown(service);
  await service.close();
});

test('after kills of both sides, an import and a new generation, the copy is the catalogue', async () => {
  using place = workplace();
  const port = ['--port', String(await freePort())];
  let service = await startService(place.database, port);
  const apiKey = service.firstKey ?? '';
  const store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey, int64: 'string' });
  // This key sees no events of API keys: to the mirror the store has none at first.
  const scopes = ['pets:read', 'events:read'] as const;
  const { key } = await store.apiKeys.create({ name: 'copy', scopes });
  const startMirror = () => mirror.start({ origin: service.origin, key }, 'copy.db');
  /** What the last run has printed. */
  const lines = () => readFileSync(mirror.file('output'), 'utf8').trimEnd().split('\n');
  const loads = () => lines().filter((line) => line.endsWith(' animals')).length;
  const killService = () => {
    service.signal('SIGKILL');
    return service.ended();
  };
  const expectCopied = async () => {
    const expected = (await store.pets.list({ limit: 100 }).toArray()).map((pet) =>
      JSON.stringify(pet),
    );
    await until(() => readCopy(mirror.file('copy.db')).join('\n') === expected.join('\n'));
  };
  const change = async (round: number) => {
    const pets = Array.from({ length: 20 }, (_, index) => ({
      name: `Hai ${'🦈'.repeat(index % 3)} ${round}.${index}`,
      categoryId: `${2n ** 63n - 1n}`,
    }));
    const created = await store.pets.createMany(pets);
    for (const { id } of created.slice(0, 5)) await store.pets.update(id, { status: 'available' });
    for (const { id } of created.slice(3, 6)) await store.pets.delete(id);
  };

  let run = startMirror();
  await until(() => lines().includes('Waiting for the first event.'));
  await change(0);
  await expectCopied();
  await change(1);
  await until(() => lines().includes('pet.created pets/21'));
  run.kill('SIGKILL');
  await run.exited;
  await change(2);
  run = startMirror();
  await change(3);
  await until(() => lines().includes('pet.created pets/41'));
  await killService();
  service = await startService(place.database, port);
  await change(4);
  await expectCopied();
  // It went on after its last event, did not load anew, and applied no event twice.
  const printed = lines();
  expect(printed).not.toContain('pet.created pets/21');
  expect(printed).toContain('pet.created pets/100');
  expect(loads()).toBe(0);
  expect(printed).toHaveLength(new Set(printed).size);

  const variables = { DATABASE_URL: place.database };
  const input = '{"name":"Import","categoryId":-9223372036854775808}\n';
  await animalStore(['import', '--format', 'ndjson', '-'], { variables, input });
  await expectCopied();
  await animalStore(['renew-events'], { variables });
  await change(5);
  await expectCopied();
  await until(() => loads() > 1);
  expect(run.exitCode).toBeNull();
  run.kill('SIGKILL');
  await killService();
});

/** The animals of the copy, in the order of their ids. */
function readCopy(path: string): string[] {
  try {
    using copy = new Database(path, { readonly: true });
    return copy
      .query<{ pet: string }, []>('SELECT pet FROM pets ORDER BY id')
      .all()
      .map(({ pet }) => pet);
  } catch {
    return [];
  }
}
