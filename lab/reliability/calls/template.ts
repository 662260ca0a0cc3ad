import { copyFileSync, rmSync, statSync } from 'node:fs';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { createKey } from '../../../test/support/create-key.ts';
import {
  commandOf,
  type RunningService,
  startCommand,
  type Workplace,
  withService,
} from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import { type Content, contentOf } from './judge.ts';
import {
  PETS,
  type Prepared,
  petName,
  type Response,
  type Step,
  send,
  stepsOf,
} from './scenario.ts';

/** A database file with its -wal, as a kill leaves them, and requests that change it. */
export interface Template {
  readonly path: string;
  readonly key: string;
  readonly content: Content;
  readonly steps: readonly Step[];
}

/** A frame of the -wal is a page with its header. The service begins a checkpoint with 1,000 frames: amid the requests, which write 150. */
const FRAME_BYTES = 24 + 4_096;
const FRAMES = 920;

const OPTIONS = {
  showsKey: false,
  // The orders of the template must not expire.
  variables: { ORDER_HOLD_MINUTES: '1440' },
};

/**
 * Starts the service so that a write beyond its limit of file sizes fails, and does not end it.
 * @param wrapper the command line of a program that runs it.
 */
export const serve = (path: string, wrapper: readonly string[] = []): Promise<RunningService> =>
  startCommand(
    [
      ...['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh', ...wrapper],
      ...commandOf('serve', '--database', path, '--port', '0', '--log-level', 'warn'),
    ],
    OPTIONS,
  );

/** Removes a database with all files that belong to it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-damaged'])
    rmSync(`${path}${suffix}`, { force: true });
}

/** Copies a database file and its -wal. */
export function copyDatabase(from: string, to: string): void {
  // The -wal last: the service would otherwise take it for that of another file.
  copyFileSync(from, to);
  copyFileSync(`${from}-wal`, `${to}-wal`);
}

/** Each template has a file of its own. */
let templates = 0;

/** Makes a database whose next checkpoint is near. `random` decides the order of the requests. */
export async function makeTemplate(place: Workplace, random: Random): Promise<Template> {
  const path = place.file('template.db');
  const kept = place.file(`kept-${++templates}.db`);
  removeDatabase(path);
  const key = await createKey(path, SCOPES);
  const prepared = await withService(await serve(path), async ({ origin }) => {
    const request = async (method: 'POST' | 'PATCH' | 'PUT', to: string, body: unknown) => {
      const response = await send(origin, key, { method, path: to, body });
      if (response.status >= 300) throw new Error(JSON.stringify(response));
      return response;
    };
    const made = await prepare(request);
    for (let name = 0; statSync(`${path}-wal`).size < FRAMES * FRAME_BYTES; name += 1)
      await request('PATCH', `/pets/${made.pets.at(-1)}`, { categoryId: 10 + name });
    return made;
  });
  copyDatabase(path, kept);
  const content = contentOf(path);
  return { path: kept, key, content, steps: stepsOf(prepared, random) };
}

type Request = (method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown) => Promise<Response>;

async function prepare(request: Request): Promise<Prepared> {
  for (const id of [1, 2, 3]) await request('PUT', `/categories/${id}`, { name: `category ${id}` });
  const newPets = Array.from({ length: PETS }, (_, index) => ({
    name: petName(index),
    categoryId: 1,
    status: 'available',
  }));
  const idOf = async (path: string, body: unknown) =>
    Number((await request('POST', path, body)).body['id']);
  const { body } = await request('POST', '/pet-batches', { pets: newPets });
  const pets = (body as unknown as readonly { id: number }[]).map(({ id }) => id);
  const order = (index: number, status?: string) =>
    idOf('/store/orders', { petId: pets[index], status });
  return {
    pets,
    orders: {
      placed: await order(0),
      approved: await order(1, 'approved'),
      delivered: await order(2, 'delivered'),
      another: await order(3),
    },
    keys: {
      rotated: await idOf('/api-keys', { name: 'rotated' }),
      revoked: await idOf('/api-keys', { name: 'revoked' }),
    },
  };
}
