/** Stability marks and security of the OpenAPI document. What the specification does not have is marked beta. */
import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { COMMITTED, DOCUMENT, operationsIn, valuesOf } from '../../support/openapi-document.ts';

const operations = operationsIn(DOCUMENT);
const named = operations.map((operation) => [operation.operationId, operation] as const);

/** The specified operations and their specified parameters. */
type Parameters = Readonly<Record<string, readonly string[]>>;
const SPECIFIED: Parameters = { listPets: ['limit', 'status'], createPet: [], getPet: ['petId'] };
const specified = named.filter(([id]) => id in SPECIFIED);
const added = named.filter(([id]) => !(id in SPECIFIED));

const BETA = { 'x-stability': 'beta', 'x-stability-level': 'beta' };
/** The x-stability-level for each x-stability: some tools read one, some the other. */
const LEVELS: Readonly<Record<string, string>> = { beta: 'beta', experimental: 'alpha' };

describe('stability marks', () => {
  test.each(specified)('are not on %s', (_id, operation) => {
    expect(operation).not.toHaveProperty('x-stability');
    expect(operation).not.toHaveProperty('x-stability-level');
  });

  test.each(added)('are on %s', (_id, operation) => {
    expect(operation).toMatchObject(BETA);
  });

  test.each(specified)(
    'are on each parameter of %s that the specification does not have',
    (id, operation) => {
      const shown = SPECIFIED[id] ?? [];
      const { parameters = [] } = operation;
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining([...shown]));
      for (const parameter of parameters) {
        if (shown.includes(parameter.name)) {
          expect(parameter).not.toHaveProperty('x-stability');
          expect(parameter).not.toHaveProperty('x-stability-level');
        } else expect(parameter).toMatchObject(BETA);
      }
    },
  );

  test.each(named)('are on each header parameter of %s', (_id, { parameters = [] }) => {
    for (const parameter of parameters) {
      if (parameter.in === 'header') expect(parameter).toMatchObject(BETA);
    }
  });

  test('always have both forms, which agree', () => {
    const marks = [...valuesOf('x-stability', COMMITTED)];
    expect(marks.length).toBe([...valuesOf('x-stability-level', COMMITTED)].length);
    for (const [stability, marked] of marks)
      expect(marked).toMatchObject({ 'x-stability-level': LEVELS[String(stability)] });
  });
});

describe('security', () => {
  test('is required by the whole document, without an exception', () => {
    expect(DOCUMENT.security).toEqual([{ apiKey: [] }]);
    expect([...valuesOf('security', DOCUMENT.paths)]).toEqual([]);
    expect(DOCUMENT.components.securitySchemes['apiKey']).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
  });

  const unscoped = operationsOf(true).flatMap(({ operation }) =>
    operation.scope === null ? [operation.id] : [],
  );

  test.each(named)(
    '%s documents 401, and 403 if it needs a scope, with the challenge',
    (id, { responses }) => {
      const statuses = unscoped.includes(id) ? ['401'] : ['401', '403'];
      expect(Object.keys(responses).filter((status) => ['401', '403'].includes(status))).toEqual(
        statuses,
      );
      for (const status of statuses)
        expect(responses[status]).toHaveProperty(['headers', 'WWW-Authenticate']);
    },
  );

  test.each(named)('every 4xx and 5xx of %s has the Error body', (_id, { responses }) => {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect(response).toHaveProperty(
        ['content', 'application/json', 'schema', '$ref'],
        '#/components/schemas/Error',
      );
    }
  });
});
