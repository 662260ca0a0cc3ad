import type { DescribedOperation } from '../http/document/read-document.ts';

/** The request of an operation as a command, with the variables of the guides: `$AUTH` and `$STORE`. */
export function curlExample(operation: DescribedOperation): string {
  const { method } = operation;
  const [mediaType, body] = bodyOf(operation);
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const parts = [
    `curl ${operation.responses['204'] ? '-i ' : ''}${isDefault ? '' : `-X ${method} `}-H "$AUTH"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: ${mediaType}'`, `-d ${quoted(body)}`]),
    urlOf(operation),
  ];
  return parts.join(body === undefined ? ' ' : ' \\\n  ');
}

/** The media type and the first example of the body. */
export function bodyOf({ requestBody }: DescribedOperation): [string, string] | [] {
  const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(requestBody?.content ?? {});
  const [first] = Object.values(examples);
  return first === undefined ? [] : [mediaType, asText(first.value)];
}

const urlOf = ({ path, parameters = [] }: DescribedOperation): string =>
  parameters.reduce(
    (url, { name, example }) => url.replace(`{${name}}`, String(example)),
    `$STORE${path}`,
  );

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const asText = (it: unknown) => (typeof it === 'string' ? it : JSON.stringify(it, null, 2));
