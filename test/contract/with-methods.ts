/** An object with other methods in place of some of its own. */
export const withMethods = <T extends object>(object: T, methods: Partial<T>): T =>
  new Proxy(object, {
    get(target, name) {
      const own: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof own === 'function' && !(name in methods) ? own.bind(target) : own;
    },
  });
