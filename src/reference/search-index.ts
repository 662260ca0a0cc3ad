import { ERRORS, type ErrorCode } from '../http/contract/errors.ts';
import {
  type DescribedOperation,
  errorCodesOf,
  operationsIn,
  type ReadDocument,
  type Schema,
} from '../http/document/read-document.ts';
import { bodyFields, type Field, parameterFields, typeOf } from './fields.ts';
import type { Guide } from './guides.ts';
import { REFERENCE_HREF } from './page.ts';

/** What a search can find: its name, what it is, and where it is, relative to `/docs/`. */
type Entry = readonly [title: string, about: string, href: string];

/** All that can be searched for. The first of equal results is shown first. */
export function searchIndex(document: ReadDocument, guides: readonly Guide[]): Entry[] {
  const entries: Entry[] = [];
  const add = (title: string, about: string, anchor: string, page = REFERENCE_HREF) =>
    entries.push([title, about, `${page}#${anchor}`]);
  const codes = errorCodesOf(document);
  for (const { summary, method, path, operationId } of operationsIn(document)) {
    add(summary, `${method} ${path} · ${operationId}`, operationId);
  }
  add('API key, authentication, scopes', 'Start', 'authentication');
  add('Base URL, server', 'Start', 'servers');
  for (const code of codes) {
    const { status, message } = ERRORS[code as ErrorCode];
    add(code, `Error ${status} · ${message}`, `error-${code}`);
  }
  for (const { href, title, headings } of guides) {
    add(title, 'Guide', 'content', href);
    for (const { id, ...it } of headings) if (!codes.includes(id)) add(it.title, title, id, href);
  }
  for (const [name, { description }] of Object.entries(document.components.headers)) {
    add(name, `Response header · ${description}`, `header-${name}`);
  }
  for (const operation of operationsIn(document)) {
    for (const { id, name, schema } of fieldsOf(operation)) {
      const place = id.slice(operation.operationId.length + 1, -name.length - 1);
      add(name, `${operation.summary}: ${place.replaceAll('.', ' ')} · ${typeOf(schema)}`, id);
    }
  }
  return entries;
}

/** The parameters of an operation, and the fields of the bodies that it takes and returns. */
function fieldsOf(operation: DescribedOperation): Field[] {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const [body] = Object.values(requestBody?.content ?? {});
  const returned = Object.entries(responses).flatMap(([status, { content = {} }]) => {
    const [{ schema } = {}] = Object.values(content);
    return schema && status < '400' ? nested(schema, `${operationId}.${status}`) : [];
  });
  const sent = body ? nested(body.schema, `${operationId}.body`) : [];
  return [...parameterFields(parameters, operationId), ...sent, ...returned];
}

/** The fields of a body, and those in them. */
const nested = (schema: Schema, prefix: string): Field[] =>
  bodyFields(schema, prefix).flatMap((field) => [field, ...nested(field.schema, field.id)]);
