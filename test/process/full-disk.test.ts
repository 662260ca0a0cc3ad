/** A full disk: reads go on, /readyz says that writes do not work, and the log says when they fail and work again. */
import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bearer,
  commandOf,
  inWorkplace,
  postPet,
  type RunningService,
  startCommand,
  until,
} from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { logged } from './logged.ts';

/** Long enough for the next attempt to write. */
const NOTICED_MS = 1_200;

interface Disk {
  fill(): void;
  free(): void;
  log(): string;
}

/** Runs a service whose database and log are on a disk of 1 MiB. `fill` leaves no space, `free` makes space again. */
const onSmallDisk = (work: (service: RunningService, disk: Disk) => Promise<void>) =>
  inWorkplace(async ({ file }) => {
    const folder = file('disk');
    mkdirSync(folder);
    await withSmallDisk(folder, '1m', async () => {
      const ballast = join(folder, 'ballast');
      const log = join(folder, 'log');
      const serve = commandOf('serve', '--database', join(folder, 'animals.db'), '--port', '0');
      const shell = ['sh', '-c', `exec "$@" >> ${log}`, 'sh'];
      await using service = await startCommand([...shell, ...serve]);
      await work(service, {
        fill() {
          const { bavail, bsize } = statfsSync(folder);
          try {
            writeFileSync(ballast, Buffer.alloc(bavail * bsize));
          } catch (error) {
            // The service took a part of the space first.
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        },
        free: () => rmSync(ballast),
        log: () => readFileSync(log, 'utf8'),
      });
    });
  });

const ready = async (origin: string) => {
  const response = await fetch(`${origin}/readyz`);
  return { status: response.status, body: (await response.json()) as object };
};

test.concurrent.skipIf(!canMount)(
  'writes get 507, reads 200, and /readyz 200 with "writes": false, until there is space again',
  onSmallDisk(async ({ origin, firstKey: key = '', stop }, disk) => {
    const add = async () =>
      (await postPet(origin, key, { name: 'x'.repeat(100), categoryId: 1 })).status;
    expect(await add()).toBe(201);
    expect(await ready(origin)).toEqual({ status: 200, body: { status: 'ok' } });
    disk.fill();
    let failed = 0;
    for (let time = 0; time < 1_000 && failed < 5; time += 1)
      if ((await add()) === 507) failed += 1;
    expect(failed).toBe(5);
    expect(await ready(origin)).toEqual({ status: 200, body: { status: 'ok', writes: false } });
    expect((await fetch(`${origin}/v1/pets`, bearer(key))).status).toBe(200);
    await sleep(NOTICED_MS);
    expect(await ready(origin)).toEqual({ status: 200, body: { status: 'ok', writes: false } });
    disk.free();
    await until(() => disk.log().includes('"writes_available"'));
    expect(await ready(origin)).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await add()).toBe(201);

    await stop();
    // Every ten seconds, the service also writes the usage.
    failed += logged(disk.log(), 'background_job_failed').length;
    expect(logged(disk.log(), 'writes_unavailable')).toMatchObject([
      { 'animal_store.reason': 'The disk or the database is full.' },
    ]);
    expect(logged(disk.log(), 'writes_available')).toMatchObject([
      { 'animal_store.write.failed_count': failed },
    ]);
    expect(logged(disk.log(), 'database_unavailable')).toEqual([]);
  }),
);

test.concurrent.skipIf(!canMount)(
  'is noticed without any write, and a stop does not wait for space',
  onSmallDisk(async ({ origin, stop }, disk) => {
    disk.fill();
    // The space that the -wal already has is used first.
    for (let check = 0; check < 600 && !('writes' in (await ready(origin)).body); check += 1) {
      await sleep(100);
    }
    expect((await ready(origin)).body).toEqual({ status: 'ok', writes: false });
    // The last page of the log has space for some lines.
    for (let request = 0; request < 50; request += 1) await fetch(`${origin}/v1/pets`);
    const { status, stderr } = await stop();
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /\nanimal-store: warning: The log cannot be written: its last \d+ lines are lost\.\n$/,
    );
  }),
);
