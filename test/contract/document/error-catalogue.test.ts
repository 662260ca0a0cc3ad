/** The code, the OpenAPI document and docs/errors.md have the same errors. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import document from '../../../openapi.json' with { type: 'json' };
import { ERRORS } from '../../../src/http/contract/errors.ts';

const codes = Object.keys(ERRORS).sort();

/** The status and the message of each code. */
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

/** The examples of the operations. */
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

/** Errors of paths and methods without an operation. */
const WITHOUT_OPERATION = ['method_not_allowed', 'route_not_found'];

describe('the error catalogue', () => {
  test('has the codes, statuses and messages of docs/errors.md', () => {
    expect(inPage).toEqual(inCode);
  });

  test('has the codes of the Error schema of the OpenAPI document', () => {
    expect(document.components.schemas.Error.properties.code.examples.toSorted()).toEqual(codes);
  });

  test('has the codes, statuses and messages of the operations of the OpenAPI document', () => {
    const ofOperations = Object.fromEntries(
      Object.entries(inCode).filter(([code]) => !WITHOUT_OPERATION.includes(code)),
    );
    expect(inOperations).toEqual(ofOperations);
  });

  test('has only 4xx and 5xx, and sentences that end with a full stop', () => {
    for (const { status, message, remedy } of Object.values(ERRORS)) {
      expect(status).toBeWithin(400, 600);
      expect(`${message}${remedy}`).toMatch(/\.$/);
      expect(message).toEndWith('.');
    }
  });
});
