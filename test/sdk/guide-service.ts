/** A program of `docs/examples`, and a service that a test can kill. */
import { afterAll, afterEach, beforeEach } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { projectOf, startInterruptingProxy, type Target } from '../support/guide-program.ts';
import { startService, withService, workplace } from '../support/process.ts';
import { listen } from '../support/socket.ts';

/** Starts a service with an empty database before each test, and a project with the program `NAME.ts`. */
export function useGuideService(name: string) {
  const proxy = startInterruptingProxy();
  afterAll(() => proxy.close());

  let project: Awaited<ReturnType<typeof projectOf>>;
  let target: Target;
  let close: () => Promise<void>;
  const use = (service: Target) => {
    target = service;
    proxy.forwardTo(service.origin);
  };
  beforeEach(async () => {
    project = await projectOf(name);
    const service = await listen();
    use(service);
    close = service.close;
  });
  afterEach(async () => {
    await close();
    project.remove();
  });

  return {
    proxy,
    project: () => project,
    connect: () => new AnimalStore({ baseUrl: `${target.origin}/v1`, apiKey: target.key }),
    direct: () => target,
    /** Through the proxy, or another one. */
    through: (origin = proxy.origin): Target => ({ ...target, origin }),
    /** Replaces the service by one in a process of its own, with another empty database. */
    async serveInProcess() {
      await close();
      const place = workplace();
      let service = await startService(place.database);
      const key = service.firstKey ?? '';
      use({ origin: service.origin, key });
      close = async () => {
        await withService(service, async () => {});
        place.remove();
      };
      return {
        database: place.database,
        /** Kills the service after each request that is selected, before the client has the response. @returns the kills so far */
        killAfter(isSelected: (number: number) => boolean): () => number {
          let kills = 0;
          proxy.watch(async (number) => {
            if (!isSelected(number)) return;
            service.signal('SIGKILL');
            await service.ended();
            service = await startService(place.database);
            use({ origin: service.origin, key });
            kills += 1;
            throw new Error('The response is lost.');
          });
          return () => kills;
        },
      };
    },
  };
}
