/** Preloaded into a process: records its syncs, renames and removals of files, in the file that RECORDED_FILES names. */
import { createRequire } from 'node:module';

type Call = (...args: unknown[]) => unknown;

// An import would give the program the original functions.
const load = createRequire(import.meta.url);
const fs = load('node:fs');
const promises = load('node:fs/promises');
const { appendFileSync, fstatSync, readlinkSync } = fs;

const record = (...words: readonly unknown[]): void =>
  appendFileSync(process.env['RECORDED_FILES'] ?? '', `${words.join(' ')}\n`);

function recordSync(descriptor: number): void {
  const stat = fstatSync(descriptor);
  const path = readlinkSync(`/proc/self/fd/${descriptor}`);
  if (stat.isDirectory()) record('sync', path);
  else record('sync', path, stat.size);
}

/** Replaces a function by one that records each call, after it has succeeded. */
function replace(owner: Record<string, Call>, name: string, recordCall: (call: Call) => Call) {
  owner[name] = recordCall(owner[name] as Call);
}

replace(fs, 'fsyncSync', (sync) => (descriptor) => {
  sync(descriptor);
  recordSync(descriptor as number);
});
replace(fs, 'renameSync', (rename) => (from, to) => {
  rename(from, to);
  record('rename', from, to);
});
replace(promises, 'rename', (rename) => async (from, to) => {
  await rename(from, to);
  record('rename', from, to);
});
replace(fs, 'rmSync', (remove) => (path, options) => {
  remove(path, options);
  record('remove', path);
});
replace(fs, 'writeFileSync', (write) => (path, text, options) => {
  write(path, text, options);
  if ((options as { flush?: boolean } | undefined)?.flush)
    record('sync', path, fs.statSync(path).size);
});
const handle = await promises.open('/dev/null');
replace(
  Object.getPrototypeOf(handle),
  'sync',
  (sync) =>
    async function (this: { readonly fd: number }) {
      await sync.call(this);
      recordSync(this.fd);
    },
);
await handle.close();
