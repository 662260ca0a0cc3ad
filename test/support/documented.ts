import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import committed from '../../openapi.json' with { type: 'json' };
import { type DocumentedOperation, spelledOut } from './openapi-document.ts';
import type { TestResponse } from './test-response.ts';

/**
 * Checks a request and its response against the OpenAPI document: the operation must document the response, and allow a request
 * that succeeded. Paths and methods without an operation, and all outside /v1, are not checked. @throws if the check fails
 */
export async function requireDocumented(request: Request, response: TestResponse): Promise<void> {
  const { pathname } = new URL(request.url);
  const found = findOperation(request.method, pathname);
  if (found === undefined || response.status === 405) return;
  const { operation, pointer } = found;
  const documented = operation.responses[String(response.status)];
  if (documented === undefined)
    throw new Error(
      `${operation.operationId} does not document ${response.status}, the status of ${request.method} ${pathname}`,
    );
  for (const [name, value] of response.headers)
    requireHeader(name, value, documented.headers, `${pointer}/responses/${response.status}`);
  if ('content' in documented && request.method !== 'HEAD') {
    const type = response.headers.get('content-type') ?? '';
    const schema = `${pointer}/responses/${response.status}/content/${escapePointer(type)}/schema`;
    const content = type === 'application/json' ? JSON.parse(response.text) : response.text;
    validate(schema, content, 'the response');
  }
  if (response.status < 300 && 'requestBody' in operation) {
    const schema = `${pointer}/requestBody/content/application~1json/schema`;
    validate(schema, await request.json(), 'the request');
  }
}

const document = spelledOut(committed);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi.json');

const ESCAPED: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' };
const escapePointer = (part: string): string =>
  part.replaceAll(/[~/]/g, (match) => ESCAPED[match] ?? '');

/** As in the router, a literal segment takes precedence over a parameter. */
const PATHS = Object.entries(document.paths)
  .sort(([a], [b]) => a.split('{').length - b.split('{').length)
  .map(([path, item]) => ({
    pattern: new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    pointer: `openapi.json#/paths/${encodeURIComponent(escapePointer(path))}`,
    item,
  }));

function findOperation(method: string, pathname: string) {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  for (const { pattern, pointer, item } of PATHS) {
    const operation = item[verb];
    if (operation && pattern.test(pathname)) return { operation, pointer: `${pointer}/${verb}` };
  }
  return undefined;
}

function validate(pointer: string, value: unknown, what: string): void {
  const check = ajv.getSchema(pointer);
  if (check === undefined) throw new Error(`${pointer} is not in the document`);
  if (!check(value))
    throw new Error(`${what} does not match ${pointer}: ${ajv.errorsText(check.errors)}`);
}

/** Headers of HTTP, which the document does not list. */
const UNLISTED = new Set(['content-type', 'content-length', 'connection']);

function requireHeader(
  name: string,
  value: string,
  documented: DocumentedOperation['responses'][string]['headers'],
  pointer: string,
): void {
  const found = Object.entries(documented ?? {}).find(([known]) => known.toLowerCase() === name);
  if (found === undefined) {
    if (UNLISTED.has(name)) return;
    throw new Error(`${pointer} does not document ${name}`);
  }
  const [known, header] = found;
  const at = '$ref' in header ? `openapi.json${header.$ref}` : `${pointer}/headers/${known}`;
  validate(`${at}/schema`, value, `the header ${name} ${value}`);
}
