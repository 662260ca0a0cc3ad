import { dlopen, FFIType } from 'bun:ffi';

/** What the runtime does not offer of the C library; undefined where there is none that is known. */
export const libc = load();

function load() {
  if (process.platform !== 'linux') return undefined;
  for (const name of [
    'libc.so.6',
    `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`,
  ]) {
    try {
      return dlopen(name, {
        mmap: {
          args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
          returns: FFIType.ptr,
        },
        munmap: { args: [FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
        fcntl: { args: [FFIType.i32, FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
      }).symbols;
    } catch {
      // Another C library, then.
    }
  }
  return undefined;
}
