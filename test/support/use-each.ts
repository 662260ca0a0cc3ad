import { afterEach, beforeEach } from 'bun:test';

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

/** Opens one for each test of a file, or of a group, and removes it after the test. Tests use it through what is returned. */
export function useEach<T extends { remove(): unknown }>(open: () => T | Promise<T>): T {
  let current: T;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(async () => {
    await current.remove();
  });
  return standIn(() => current);
}
