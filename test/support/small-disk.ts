import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './process.ts';

const mount = (folder: string, size: string) =>
  runProgram(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
const unmount = (folder: string) => runProgram(['umount', folder]);

/** Whether this process may mount a disk. It tries. */
export const canMount: boolean = await (async () => {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-disk-'));
  const isMounted = (await mount(folder, '4k')).status === 0;
  if (isMounted) await unmount(folder);
  rmdirSync(folder);
  return isMounted;
})();

/** Mounts a disk of a size such as `64k` in a folder while `work` runs. */
export async function withSmallDisk(
  folder: string,
  size: string,
  work: () => Promise<void>,
): Promise<void> {
  const { status, stderr } = await mount(folder, size);
  if (status !== 0) throw new Error(stderr);
  try {
    await work();
  } finally {
    await unmount(folder);
  }
}
