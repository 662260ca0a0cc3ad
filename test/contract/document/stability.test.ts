/** Stability marks and security of the OpenAPI document: what is ours is marked, and nothing is open. */
import { describe, expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, object>>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const items: readonly object[] = Object.values(document.paths);
const operations = items.flatMap((item): DocumentedOperation[] => Object.values(item));
const named = operations.map((operation) => [operation.operationId, operation] as const);

/** The specified operations, with the parameters that the specification shows. */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  listPets: ['limit', 'status'],
  createPet: [],
  getPet: ['petId'],
};
const specified = named.filter(([id]) => id in SPECIFIED);
const ours = named.filter(([id]) => !(id in SPECIFIED));

const BETA = { 'x-stability': 'beta', 'x-stability-level': 'beta' };
/** Of each kind of mark, the level that the other family of tools reads. */
const LEVELS: Readonly<Record<string, string>> = { beta: 'beta', experimental: 'alpha' };

/** Every object in the document that has this key, with the value that stands there. */
function* valuesOf(key: string, part: unknown = document): Generator<[unknown, object]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name === key) yield [value, part];
    yield* valuesOf(key, value);
  }
}

describe('stability marks', () => {
  test('the three specified operations are there, and every other one is ours', () => {
    expect(specified.map(([id]) => id).toSorted()).toEqual(['createPet', 'getPet', 'listPets']);
    expect(ours.length).toBeGreaterThan(0);
    expect(new Set(named.map(([id]) => id)).size).toBe(named.length);
  });

  test.each(specified)('%s carries none', (_id, operation) => {
    expect(operation).not.toHaveProperty('x-stability');
    expect(operation).not.toHaveProperty('x-stability-level');
  });

  test.each(ours)(
    '%s is ours, and marked x-stability: beta and x-stability-level: beta',
    (_id, operation) => {
      expect(operation).toMatchObject(BETA);
    },
  );

  test.each(specified)(
    'each parameter of %s that the specification does not show is marked beta',
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

  test.each(named)(
    'each header that %s reads is ours, and marked beta',
    (_id, { parameters = [] }) => {
      for (const parameter of parameters) {
        if (parameter.in === 'header') expect(parameter).toMatchObject(BETA);
      }
    },
  );

  test('always stand in both words, which say the same', () => {
    const marks = [...valuesOf('x-stability')];
    expect(marks.length).toBe([...valuesOf('x-stability-level')].length);
    for (const [stability, marked] of marks)
      expect(marked).toMatchObject({ 'x-stability-level': LEVELS[String(stability)] });
  });
});

describe('security', () => {
  test('is asked of the whole document, and switched off nowhere', () => {
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect([...valuesOf('security')]).toHaveLength(1);
    expect(document.components.securitySchemes.apiKey).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
  });

  test.each(named)('%s documents 401 and 403, with the challenge', (_id, { responses }) => {
    for (const status of ['401', '403']) {
      expect(responses[status]).toHaveProperty(['headers', 'WWW-Authenticate']);
      expect(responses[status]).toHaveProperty(
        ['content', 'application/json', 'schema', '$ref'],
        '#/components/schemas/Error',
      );
    }
  });

  test.each(named)('every 4xx and 5xx of %s has the Error body', (_id, { responses }) => {
    for (const [status, answer] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect(answer).toHaveProperty(
        ['content', 'application/json', 'schema', '$ref'],
        '#/components/schemas/Error',
      );
    }
  });
});

describe('the document', () => {
  test('has operations alone under its paths', () => {
    for (const item of items)
      for (const method of Object.keys(item)) expect(METHODS).toContain(method);
  });

  test('names with every $ref something that is there', () => {
    const refs = [...valuesOf('$ref')].map(([ref]) => String(ref));
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of new Set(refs)) {
      expect(ref).toStartWith('#/');
      const keys = ref
        .slice(2)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
      expect(document).toHaveProperty(keys);
    }
  });

  test.each(named)('%s names each parameter of its path, and none twice', (id, operation) => {
    const [path = ''] =
      Object.entries(document.paths).find(([, item]) =>
        Object.values(item).some(({ operationId }) => operationId === id),
      ) ?? [];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const { parameters = [] } = operation;
    expect(
      parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    ).toEqual(inPath as string[]);
    expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(
      parameters.length,
    );
  });
});
