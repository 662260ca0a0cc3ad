import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';

/** Has the properties that the current one has at that moment. */
export const standIn = <T extends object>(current: () => T): T =>
  new Proxy({} as T, {
    get: (_target, name) => Reflect.get(current(), name),
    set: (_target, name, value) => Reflect.set(current(), name, value),
    // For copies of all properties.
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_target, name) => ({
      ...Reflect.getOwnPropertyDescriptor(current(), name),
      configurable: true,
    }),
  });

type Opened = { close(): unknown } | { remove(): unknown };

const end = (opened: Opened) => ('close' in opened ? opened.close() : opened.remove());

/** Opens one for each test of a file, or of a group, and ends it after the test. Tests use it through what is returned. */
export function useEach<T extends Opened>(open: () => T | Promise<T>): T {
  let current: T;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(() => end(current));
  return standIn(() => current);
}

/** The same, once: before the first test of a file, or of a group, until its last one has ended. */
export function useShared<T extends Opened>(open: () => Promise<T>): T {
  let shared: T;
  beforeAll(async () => {
    shared = await open();
  });
  afterAll(() => end(shared));
  return standIn(() => shared);
}
