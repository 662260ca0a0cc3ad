/** The committed OpenAPI document, and the parts of a document that tests read. */
import { readFileSync } from 'node:fs';
import {
  type ReadDocument,
  spelledOut as replaceReferences,
} from '../../src/http/document/read-document.ts';
import { parseExactJson } from '../../src/http/request/exact-json.ts';

export {
  type DocumentedOperation,
  operationsIn,
  type Parameter,
  type ReadDocument,
  targetOf,
} from '../../src/http/document/read-document.ts';

/** The document as it is committed, with exact integers. */
export const COMMITTED = parseExactJson(readFileSync('openapi.json', 'utf8')) as object;

/** Replaces the references to parameters and responses by what they refer to. */
export const spelledOut = (document: object): ReadDocument =>
  replaceReferences(document, /^#\/components\/(?:parameters|responses)\//);

/** The committed document with the shared parameters and responses spelled out in each operation. */
export const DOCUMENT = spelledOut(COMMITTED);

/** Each value of this key in a part of a document, with the object that has it. */
export function* valuesOf(key: string, part: unknown): Generator<[unknown, object]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name === key) yield [value, part];
    yield* valuesOf(key, value);
  }
}
