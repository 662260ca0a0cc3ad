import { dlopen, FFIType, ptr } from 'bun:ffi';
import { closeSync, readFileSync, writeSync } from 'node:fs';

// From sys/socket.h of Linux, the same on all 64-bit architectures.
const AF_INET = 2;
const SOCK_STREAM = 1;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const IPPROTO_TCP = 6;
const TCP_MAXSEG = 2;
const MSG_DONTWAIT = 0x40;

const RECEIVE_BUFFER_BYTES = 2048;

/** As on Ethernet. With the 64 KiB of loopback, the kernel of the server buffers megabytes for each client. */
const SEGMENT_BYTES = 1460;

const load = () =>
  dlopen('libc.so.6', {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    setsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i32,
    },
    connect: { args: [FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    recv: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32],
      returns: FFIType.i64,
    },
  }).symbols;

/** A client whose system accepts few bytes ahead, so that the server keeps the rest of a response. */
export interface SlowReader {
  /** Receives up to `limit` bytes, if any are there. @returns undefined if there are none at this moment */
  read(limit: number): Buffer | undefined;
  close(): void;
}

/** Returns a function that connects to a port of 127.0.0.1 with a small receive buffer, which `node:net` cannot set, and sends a request. */
export function slowReaders(port: number): (request: string) => SlowReader {
  const { socket, setsockopt, connect, recv } = load();
  const address = new DataView(new ArrayBuffer(16));
  address.setUint16(0, AF_INET, true);
  address.setUint16(2, port);
  address.setUint32(4, 0x7f00_0001);
  const options = [
    [SOL_SOCKET, SO_RCVBUF, new Int32Array([RECEIVE_BUFFER_BYTES])],
    [IPPROTO_TCP, TCP_MAXSEG, new Int32Array([SEGMENT_BYTES])],
  ] as const;
  const buffer = Buffer.alloc(64 * 1024);
  return (request) => {
    const file = socket(AF_INET, SOCK_STREAM, 0);
    // Before the connection is made, which announces both.
    for (const [level, name, value] of options)
      setsockopt(file, level, name, ptr(value), value.byteLength);
    if (connect(file, ptr(address), address.byteLength) !== 0) {
      closeSync(file);
      throw new Error(`No connection to port ${port}.`);
    }
    writeSync(file, request);
    return {
      read(limit) {
        const length = Number(
          recv(file, ptr(buffer), Math.min(limit, buffer.length), MSG_DONTWAIT),
        );
        return length < 0 ? undefined : Buffer.from(buffer.subarray(0, length));
      },
      close: () => closeSync(file),
    };
  };
}

export const residentMib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
