/** A program of `docs/examples`, and a service that a test can kill. */
import { afterAll, afterEach, beforeEach } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { projectOf, startInterruptingProxy, type Target } from '../support/guide-program.ts';
import {
  type RunningService,
  startService,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';

/** Starts a service with an empty database before each test, and a project with the program `NAME.ts`. */
export function useGuideService(name: string) {
  const proxy = startInterruptingProxy();
  afterAll(() => proxy.close());

  let place: Workplace;
  let project: Awaited<ReturnType<typeof projectOf>>;
  let service: RunningService;
  let key: string;
  const forward = () => proxy.forwardTo(service.origin);
  beforeEach(async () => {
    place = workplace();
    project = await projectOf(name);
    service = await startService(place.database);
    key = service.firstKey ?? '';
    forward();
  });
  afterEach(async () => {
    await withService(service, async () => {});
    project.remove();
    place.remove();
  });

  return {
    proxy,
    project: () => project,
    database: () => place.database,
    port: () => Number(new URL(service.origin).port),
    connect: () => new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: key }),
    direct: (): Target => ({ origin: service.origin, key }),
    /** Through the proxy, or another one. */
    through: (origin = proxy.origin): Target => ({ origin, key }),
    /** Kills the service after each request that is selected, before the client has the response. @returns the kills so far */
    killServiceAfter(isSelected: (number: number) => boolean): () => number {
      let kills = 0;
      proxy.watch(async (number) => {
        if (!isSelected(number)) return;
        service.signal('SIGKILL');
        await service.ended();
        service = await startService(place.database);
        forward();
        kills += 1;
        throw new Error('The response is lost.');
      });
      return () => kills;
    },
  };
}
