import type { OpenApiDocument } from '../http/document/openapi.ts';
import { describedIn, operationsOf } from './described.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The document as the try-out needs it. Scalar rounds bounds beyond 2^53, so it gets none of them. It sends each
 * parameter that has an example, so the examples of optional parameters are switched off until the user ticks them. It
 * shows marks such as beta as badges.
 */
export function tryOutDocument(document: OpenApiDocument): unknown {
  const bodies = operationsOf(describedIn(document)).flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}),
  );
  // While Scalar shows an example of a body, it takes the examples of parameters that have the same name.
  const names = new Set(bodies.flatMap(({ examples = {} }) => Object.keys(examples)));
  const { info, ...rest } = adapted(document, ['example', ...names]) as Json;
  const { description, ...about } = info as Json;
  return { ...rest, info: { ...about, description: `${description}\n\n${PLAIN}` } };
}

const PLAIN = 'A reference without scripts is at [docs/plain](docs/plain).';

function adapted(part: unknown, names: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((item) => adapted(item, names));
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([, value]) => typeof value !== 'bigint');
  const { example, ...rest }: Json = Object.fromEntries(
    entries.map(([name, value]) => [name, adapted(value, names)]),
  );
  if ('operationId' in rest && 'x-stability' in rest) {
    return { ...rest, 'x-badges': [{ name: rest['x-stability'] }] };
  }
  const isOptionalParameter = 'in' in rest && rest['required'] === false;
  if (!isOptionalParameter) return example === undefined ? rest : { ...rest, example };
  const examples = names.map((name) => [name, { value: example, 'x-disabled': true }]);
  return { ...rest, examples: Object.fromEntries(examples) };
}
