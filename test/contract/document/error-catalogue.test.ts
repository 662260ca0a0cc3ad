/** The code and the OpenAPI document have the same errors. All generated files are up to date, docs/errors.md too. */
import { describe, expect, test } from 'bun:test';
import { ERRORS } from '../../../src/http/contract/errors.ts';
import { errorCodesOf } from '../../../src/http/document/read-document.ts';
import { DOCUMENT, operationsIn } from '../../support/openapi-document.ts';
import { runProgram } from '../../support/process.ts';

const codes = Object.keys(ERRORS).sort();

/** The status and the message of each code. */
type Catalogue = Record<string, readonly [number, string]>;

/** The examples of the operations. */
const inOperations: Catalogue = Object.fromEntries(
  operationsIn(DOCUMENT)
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content }]) => {
      const examples = content?.['application/json']?.examples ?? {};
      return Number(status) < 400
        ? []
        : Object.entries(examples).map(([code, example]) => {
            expect<object>(example).toEqual({ $ref: `#/components/examples/${code}` });
            const { value } = DOCUMENT.components.examples[code] as { value: Body };
            expect(value).toMatchObject({ code, status: Number(status) });
            return [code, [value.status, value.message] as const];
          });
    }),
);

interface Body {
  readonly status: number;
  readonly message: string;
}

/** Errors of paths and methods without an operation. */
const WITHOUT_OPERATION = ['method_not_allowed', 'route_not_found'];

describe('the error catalogue', () => {
  test('has the codes of the Error schema of the OpenAPI document', () => {
    expect(errorCodesOf(DOCUMENT).toSorted()).toEqual(codes);
    // Others may be added: a client must not refuse them.
    const code = DOCUMENT.components.schemas['Error']?.properties?.['code'];
    expect(code).toMatchObject({ type: 'string' });
    for (const key of ['enum', 'anyOf', 'oneOf']) expect(code).not.toHaveProperty(key);
  });

  test('has the codes, statuses and example messages of the operations of the OpenAPI document', () => {
    const ofOperations: Catalogue = Object.fromEntries(
      Object.entries(ERRORS)
        .filter(([code]) => !WITHOUT_OPERATION.includes(code))
        .map(([code, entry]) => [
          code,
          [entry.status, 'example' in entry ? entry.example : entry.message],
        ]),
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

test('the files that are generated from the code are up to date', async () => {
  const command = [process.execPath, 'scripts/generate.ts', '--check'];
  expect(await runProgram(command)).toEqual({ status: 0, stdout: '', stderr: '' });
});
