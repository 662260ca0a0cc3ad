/** Errors: one catalogue, and code, OpenAPI document and docs/errors.md say the same in every direction. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import document from '../../openapi.json' with { type: 'json' };
import { ERRORS } from '../../src/http/contract/errors.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { type Database, StorageError } from '../../src/storage/database.ts';
import { startService } from '../support/service.ts';

const codes = Object.keys(ERRORS).sort();

/** code → [status, message] */
type Catalogue = Record<string, readonly [number, string]>;

const inCode: Catalogue = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { status, message }]) => [code, [status, message]]),
);

const inPage: Catalogue = Object.fromEntries(
  [
    ...readFileSync('docs/errors.md', 'utf8').matchAll(
      /^\| `(\w+)` \| (\d+) \| ([^|]+) \| [^|]+ \|$/gm,
    ),
  ].map(([, code = '', status, message = '']) => [code, [Number(status), message]]),
);

interface Documented {
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly examples?: Record<string, { $ref: string }> }> }
  >;
}

/** What the examples of the operations say, each with the status under which it stands. */
const inOperations: Catalogue = Object.fromEntries(
  Object.values(document.paths)
    .flatMap((item): Documented[] => Object.values(item))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content }]) => {
      const examples = content?.['application/json']?.examples ?? {};
      return Number(status) < 400
        ? []
        : Object.entries(examples).map(([code, { $ref }]) => {
            expect($ref).toBe(`#/components/examples/${code}`);
            const { value } =
              document.components.examples[code as keyof typeof document.components.examples];
            expect(value).toMatchObject({ code, status: Number(status) });
            return [code, [value.status, value.message] as const];
          });
    }),
);

/** Belong to no operation: they are about paths and methods that none has. */
const OF_NO_OPERATION = ['method_not_allowed', 'route_not_found'];

describe('the catalogue', () => {
  test('and docs/errors.md name the same codes, statuses and wordings', () => {
    expect(inPage).toEqual(inCode);
  });

  test('and the Error schema of the OpenAPI document name the same codes', () => {
    expect(document.components.schemas.Error.properties.code.examples.toSorted()).toEqual(codes);
  });

  test('and the operations of the OpenAPI document name the same codes, statuses and wordings', () => {
    const ofOperations = Object.fromEntries(
      Object.entries(inCode).filter(([code]) => !OF_NO_OPERATION.includes(code)),
    );
    expect(inOperations).toEqual(ofOperations);
  });

  test('holds 4xx and 5xx alone, and words that end in a full stop', () => {
    for (const { status, message, remedy } of Object.values(ERRORS)) {
      expect(status).toBeWithin(400, 600);
      expect(`${message}${remedy}`).toMatch(/\.$/);
      expect(message).toEndWith('.');
    }
  });
});

/** A database whose list and whose every write do something else. */
const answeringInstead = (
  database: Database,
  list: () => Promise<Pet[]>,
  write: () => Promise<never>,
): Database => ({
  ...database,
  read: { ...database.read, pets: { ...database.read.pets, list } },
  write,
  blind: { pets: { create: write } },
});

describe('what goes wrong inside', () => {
  const secret = 'SECRET /var/lib/animals.db';

  const failures = [
    ['internal_error', 500, new Error(secret)],
    ['unavailable', 503, new StorageError('unavailable', secret)],
    ['unavailable', 503, new StorageError('refused', secret)],
    ['storage_full', 507, new StorageError('full', secret)],
  ] as const;

  test.each(failures)(
    '%s is told the client as %d without its reason, and the log with it under the request id',
    async (code, status, error) => {
      const service = await startService({
        wrap: (database) =>
          answeringInstead(
            database,
            () => {
              throw error;
            },
            () => Promise.reject(error),
          ),
      });
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { body: { name: 'Rex', categoryId: 1 } } : {};
        const answer = await service.app.fetch(
          new Request('http://127.0.0.1/v1/pets', {
            method,
            headers: {
              Authorization: `Bearer ${service.key}`,
              'X-Request-Id': `${method}-1`,
              'Content-Type': 'application/json',
            },
            ...('body' in body ? { body: JSON.stringify(body.body) } : {}),
          }),
        );
        expect(await answer.json()).toEqual({ code, message: ERRORS[code].message, status });
        expect(answer.headers.get('retry-after')).toBe(code === 'unavailable' ? '1' : null);
        expect(service.observed).toContainEqual({
          kind: 'request_failed',
          requestId: `${method}-1`,
          error,
        });
      }
      await service.close();
    },
  );

  test('a request that gets no answer in time is 503 deadline_exceeded', async () => {
    const service = await startService({
      rules: { requestTimeoutMs: 20 },
      wrap: (database) =>
        answeringInstead(
          database,
          () => new Promise(() => {}),
          () => new Promise(() => {}),
        ),
    });
    expect((await service.request('GET', '/v1/pets')).json).toMatchObject({
      code: 'deadline_exceeded',
      status: 503,
    });
    expect(
      (await service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).json,
    ).toMatchObject({ code: 'deadline_exceeded' });
    await service.close();
  });
});
