/** The response cache returns the same responses as the storage, whatever happens in between. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { expireOrders } from '../../../src/server/background-jobs.ts';
import { sequencesFor } from '../../support/engines.ts';
import { type RequestOptions, startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { repeatableBytes } from './side-by-side.ts';
import { anyRequestStep, type RequestStep } from './steps.ts';

const without = ({ headers }: TestResponse, ...names: string[]) =>
  Object.fromEntries([...headers].filter(([name]) => !names.includes(name)));

const CHANGED_BY_JOBS = [
  '/usage',
  '/api-keys',
  '/store/orders',
  '/pets',
  '/categories',
  '/store/inventory',
  '/store/inventory?categoryId=1',
];
const ORDER_HOLD_MS = 60_000;

async function runJob(job: Step['job'], service: TestService): Promise<void> {
  if (job === 'usage') await service.usage.flush();
  if (job === 'expiry') {
    service.clock.advance(ORDER_HOLD_MS);
    await expireOrders({ ...service, observe: () => {} });
  }
}

/** Sends the same request to both services, and compares their responses. */
async function expectEqual(
  services: readonly TestService[],
  method: string,
  path: string,
  options?: RequestOptions,
): Promise<void> {
  const [a, b] = await Promise.all(
    services.map((service) => service.request(method, `/v1${path}`, options)),
  );
  if (a === undefined || b === undefined) throw new Error('There are two services.');
  expect([a.status, a.text]).toEqual([b.status, b.text]);
  expect(without(a, 'x-request-id')).toEqual(without(b, 'x-request-id'));
}

interface Step {
  readonly request: RequestStep;
  readonly headers: Readonly<Record<string, string>>;
  readonly times: number;
  readonly job: 'none' | 'usage' | 'expiry';
}

/** Runs the job in both services, reads what it may have changed, and sends the request to both. */
async function take(
  services: readonly TestService[],
  { request, headers, times, job }: Step,
): Promise<void> {
  for (const service of services) await runJob(job, service);
  for (const path of CHANGED_BY_JOBS) await expectEqual(services, 'GET', path);
  for (let time = 0; time < times; time += 1) {
    await expectEqual(services, request.method, request.path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(request.body === undefined ? {} : { body: renderExactJson(request.body) }),
    });
  }
}

test('random requests between random jobs get the same responses with and without the cache', async () => {
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { Prefer: 'handling=strict' },
    { 'If-None-Match': '*' },
    { 'X-Request-Id': 'mine' },
  );
  const anyStep: fc.Arbitrary<Step> = fc.record({
    request: anyRequestStep,
    headers,
    times: fc.integer({ min: 1, max: 4 }),
    job: fc.constantFrom<Step['job'][]>('none', 'none', 'usage', 'expiry'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 30, size: 'max' }), async (steps) => {
      const options = { orderHoldMs: ORDER_HOLD_MS };
      const cached = await startService({ options, randomBytes: repeatableBytes() });
      const uncached = await startService({
        options,
        randomBytes: repeatableBytes(),
        wrap: (database) => ({ ...database, versionsKeysOnly: true }),
      });
      const services = [cached, uncached];
      for (const step of steps) await take(services, step);
      for (const service of services) await service.close();
    }),
    // PostgreSQL has no such cache: other instances may write.
    { numRuns: sequencesFor(4, 1) },
  );
});
