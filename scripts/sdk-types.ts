/** Generates the types of the TypeScript SDK from the OpenAPI document. */
import {
  type DocumentedOperation,
  type ReadDocument,
  type Schema,
  targetOf,
} from '../src/http/document/read-document.ts';
import { Fields, TypeScript } from './schema-types.ts';

/** A body. */
type Content = Pick<DocumentedOperation['responses'][string], 'content'>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * The text of `sdk/src/generated.ts`: a type for each schema that an operation or a webhook sends or receives and for each
 * query, the error codes, and the names of all fields that are 64-bit integers. A schema without a name is
 * named after its operation.
 * @throws if the document contains a schema that has no counterpart here
 */
export function sdkTypes(document: ReadDocument, errorCodes: readonly string[]): string {
  const fields = new Fields(document.components.schemas);
  const types = new TypeScript(document.components.schemas, fields);
  const unnamed = operationsIn(document).flatMap((operation) => [
    ...declareBodies(operation, document, types),
    ...declareQuery(operation, document, types, fields),
  ]);
  for (const { post: message } of Object.values(document.webhooks ?? {})) {
    const schema = message?.requestBody?.content['application/json']?.schema;
    if (schema) types.reach(schema, 'output', message.operationId);
  }
  const codes = errorCodes.map((code) => `  | '${code}'`).join('\n');
  return [
    '/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */',
    `/** The fields that are 64-bit integers. */\nexport const INT64_FIELDS: readonly string[] = [${fields
      .int64Names()
      .map((name) => `'${name}'`)
      .join(', ')}];`,
    `/** The known codes of errors. */\nexport type ErrorCode =\n${codes};`,
    ...types.declareReached(),
    ...unnamed,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The operations that the SDK calls. */
const operationsIn = ({ paths }: ReadDocument): DocumentedOperation[] =>
  Object.values(paths)
    .flatMap((path) => METHODS.map((method) => path[method]))
    .filter((operation) => operation !== undefined)
    .filter((operation) => !operation.deprecated);

/** Declares the bodies that have no name. Those with a name are declared once for all operations. */
function declareBodies(
  operation: DocumentedOperation,
  document: ReadDocument,
  types: TypeScript,
): string[] {
  return contentsOf(operation).flatMap(([content, direction]) => {
    // A merge patch has the same schema under two media types. The events of a stream are those of the list.
    const [[type, media] = []] = Object.entries(resolve(document, content).content ?? {});
    const schema = media?.schema;
    if (schema === undefined || type === 'text/event-stream') return [];
    types.reach(schema, direction, operation.operationId);
    if ((schema.items ?? schema).$ref !== undefined) return [];
    const suffix = direction === 'input' ? 'Body' : 'Result';
    return [types.declare(nameOf(operation, suffix), schema, direction)];
  });
}

function contentsOf({
  responses,
  requestBody,
}: DocumentedOperation): [Content, 'input' | 'output'][] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const outputs = successes.map(([, response]): [Content, 'output'] => [response, 'output']);
  return requestBody ? [...outputs, [requestBody, 'input']] : outputs;
}

/** Declares the query of an operation, if it has one. */
function declareQuery(
  operation: DocumentedOperation,
  document: ReadDocument,
  types: TypeScript,
  fields: Fields,
): string[] {
  const parameters = (operation.parameters ?? []).map((it) => resolve(document, it));
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return [];
  for (const { name, schema } of query) {
    types.reach(schema, 'input', operation.operationId);
    fields.add(name, schema.items ?? schema, 'input', `${operation.operationId}.${name}`);
  }
  const properties = query.map(({ name, schema, description }): [string, Schema] => [
    name,
    { ...schema, ...(description === undefined ? {} : { description }) },
  ]);
  const schema: Schema = {
    type: 'object',
    description: `The query of ${operation.operationId}.`,
    properties: Object.fromEntries(properties),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
  return [types.declare(nameOf(operation, 'Query'), schema, 'input')];
}

const nameOf = ({ operationId }: DocumentedOperation, suffix: string): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`;

/** A component in place of a reference to it. */
function resolve<T extends object>(document: ReadDocument, value: T): T {
  if (!('$ref' in value)) return value;
  const target = targetOf(document, String(value.$ref));
  if (target === undefined) throw new Error(`${value.$ref} refers to nothing.`);
  return resolve(document, target as T);
}
