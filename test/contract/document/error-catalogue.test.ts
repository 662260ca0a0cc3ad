/** The code and the OpenAPI document have the same errors. All generated files are up to date, docs/errors.md too. */
import { describe, expect, test } from 'bun:test';
import { ERRORS } from '../../../src/http/contract/errors.ts';
import { errorCodesOf } from '../../../src/http/document/read-document.ts';
import { DOCUMENT } from '../../support/openapi-document.ts';
import { runProgram } from '../../support/process.ts';

describe('the error catalogue', () => {
  test('has the codes of the Error schema of the OpenAPI document: those that its operations can return', () => {
    expect(errorCodesOf(DOCUMENT)).toEqual(Object.keys(ERRORS));
    // Others may be added: a client must not refuse them.
    const code = DOCUMENT.components.schemas['Error']?.properties?.['code'];
    expect(code).toMatchObject({ type: 'string' });
    for (const key of ['enum', 'anyOf', 'oneOf']) expect(code).not.toHaveProperty(key);
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
