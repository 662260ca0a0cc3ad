import type { DescribedOperation, Parameter } from './described.ts';

/** The request of an operation as a command, with the variables of the guides: `$AUTH` and `$STORE`. */
export function curlExample(operation: DescribedOperation): string {
  const { method, parameters = [] } = operation;
  const [mediaType, body] = bodyOf(operation);
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const parts = [
    `curl ${operation.responses['204'] ? '-i ' : ''}${isDefault ? '' : `-X ${method} `}-H "$AUTH"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: ${mediaType}'`, `-d ${quoted(body)}`]),
    urlOf(operation, parameters),
  ];
  return parts.join(body === undefined ? ' ' : ' \\\n  ');
}

/** The media type and the first example of the body. */
function bodyOf({ requestBody }: DescribedOperation): [string, string] | [] {
  const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(requestBody?.content ?? {});
  const [first] = Object.values(examples);
  return first === undefined ? [] : [mediaType, prettyJson(first.value)];
}

/** Of the query, the parameters with a default are in the URL. */
function urlOf({ path }: DescribedOperation, parameters: readonly Parameter[]): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.schema.default !== undefined)
    .map(({ name, example }) => `${name}=${example}`);
  return query.length === 0 ? `$STORE${filled}` : `"$STORE${filled}?${query.join('&')}"`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What fits into a line of the page. */
const LINE_LENGTH = 40;

/** Writes JSON with line breaks, except in parts that are short. */
export function prettyJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= LINE_LENGTH || typeof value !== 'object' || value === null) {
    return line;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, part]) => `${inner}${isList ? '' : `"${name}": `}${prettyJson(part, inner)}`,
  );
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}
