import { expect, test } from 'bun:test';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observation } from '../../../src/observe/observation.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { FullDisk } from '../../../src/storage/sqlite/integrity/full-disk.ts';
import { canMount, withSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Longer than the service waits between two attempts to write. */
const NEXT_ATTEMPT_MS = 1_100;

test.skipIf(!canMount)(
  'a full disk is not reported as usable when only a small write succeeds',
  async () => {
    const folder = temporaryFolder();
    await withSmallDisk(folder.path, '1m', async () => {
      const kinds: Observation['kind'][] = [];
      const ballast = folder.file('ballast');
      // As in a -wal that has space for this write, but not for those of the clients.
      const tryWrite = async () => writeFileSync(folder.file('small'), 'x');
      const disk = new FullDisk(folder.file('a.db'), tryWrite, ({ kind }) => kinds.push(kind));
      const check = async () => {
        await sleep(NEXT_ATTEMPT_MS);
        disk.check();
        await sleep(0);
      };
      await tryWrite();
      const { bavail, bsize } = statfsSync(folder.path);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));

      disk.onFailure(new StorageError('full', 'The disk is full.'), 1);
      await check();
      expect(kinds).toEqual(['writes_unavailable']);
      expect(disk.isFull).toBeTrue();
      rmSync(ballast);
      await check();
      expect(kinds).toEqual(['writes_unavailable', 'writes_available']);
      expect(disk.isFull).toBeFalse();
    });
    folder.remove();
  },
);
