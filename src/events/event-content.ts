import { parseExactJson } from '../http/request/exact-json.ts';
import type { EventContent } from './event-store.ts';

/** A stored event that nobody can read. */
export class DamagedEvent extends Error {
  override readonly name = 'DamagedEvent';
}

/** Parses the content of a stored event. Undefined if it is not what the service stores. */
export function parseContent(text: string): EventContent | undefined {
  let content: unknown;
  try {
    // The parser of the runtime rounds long integers.
    content = /[0-9]{16}/.test(text) ? parseExactJson(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
  const isContent =
    isObject(content) &&
    isObject(content['data']) &&
    (content['previous'] === undefined || isObject(content['previous'])) &&
    (content['actor'] === undefined ||
      (isObject(content['actor']) && hasTexts(content['actor']))) &&
    (content['withheld'] === undefined ||
      (Array.isArray(content['withheld']) && hasTexts(content['withheld'])));
  return isContent ? (content as unknown as EventContent) : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasTexts = (values: object): boolean =>
  Object.values(values).every((value) => typeof value === 'string');
