import { dlopen, FFIType } from 'bun:ffi';

/** Functions of the C library that the runtime does not offer; undefined if no known C library is found. */
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
      // Try the next one.
    }
  }
  return undefined;
}
