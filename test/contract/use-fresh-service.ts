import { startService, type TestService, type TestServiceOptions } from '../support/service.ts';
import { useEach } from '../support/use-each.ts';

/** A new service for each test of a file. */
export const useFreshService = (options?: TestServiceOptions): TestService =>
  useEach(async () => {
    const service = await startService(options);
    return Object.assign(service, { remove: () => service.close() });
  });
