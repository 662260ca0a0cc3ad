/** The code and the OpenAPI document have the same errors. All generated files are up to date, docs/errors.md too. */
import { describe, expect, test } from 'bun:test';
import { ERRORS, type ErrorCode } from '../../../src/http/contract/errors.ts';
import { errorCodesOf } from '../../../src/http/document/read-document.ts';
import { DOCUMENT, operationsIn } from '../../support/openapi-document.ts';
import { runProgram } from '../../support/process.ts';

describe('the error catalogue', () => {
  test('has the codes of the Error schema of the OpenAPI document: those that its operations can return', () => {
    expect(errorCodesOf(DOCUMENT)).toEqual(Object.keys(ERRORS));
    // Others may be added: a client must not refuse them.
    const code = DOCUMENT.components.schemas['Error']?.properties?.['code'];
    expect(code).toMatchObject({ type: 'string' });
    for (const key of ['enum', 'anyOf', 'oneOf']) expect(code).not.toHaveProperty(key);
  });

  test('has the status and the message of each example of the operations, which have all codes', () => {
    const found = new Set(['method_not_allowed', 'route_not_found']);
    const responses = operationsIn(DOCUMENT).flatMap((one) => Object.entries(one.responses));
    for (const [status, { content }] of responses.filter(([status]) => status >= '400'))
      for (const [code, example] of Object.entries(content?.['application/json']?.examples ?? {})) {
        expect<object>(example).toEqual({ $ref: `#/components/examples/${code}` });
        const entry = ERRORS[code as ErrorCode];
        const message = 'example' in entry ? entry.example : entry.message;
        const value = { code, message, status: entry.status };
        expect([DOCUMENT.components.examples[code], status]).toEqual([
          { value },
          `${entry.status}`,
        ]);
        found.add(code);
      }
    expect([...found].sort()).toEqual(Object.keys(ERRORS).sort());
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
