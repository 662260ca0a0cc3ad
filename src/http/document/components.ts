import { STATUS_CODES } from 'node:http';
import { INT64_MAX, INT64_MIN } from '../../int64.ts';
import { HEADER_COMPONENTS } from './headers.ts';
import { EXAMPLE_COMPONENTS, isOfEveryBody, isOfEveryOperation } from './responses.ts';

type Json = Readonly<Record<string, unknown>>;

interface Parameter extends Json {
  readonly name: string;
  readonly in: string;
}

interface Response extends Json {
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly examples?: Json }>>;
}

interface Operation extends Json {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

/** A document as the generator writes it: parameters and responses are spelled out in each operation. */
export interface Generated extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Json;
  readonly webhooks?: Generated['paths'];
}

/**
 * Completes a generated document. Shared parameters and responses become components, each 64-bit integer has its exact
 * bounds, and no component is unused.
 */
export function completed({ webhooks = {}, ...document }: Generated): Json {
  const { paths, components } = refined(document) as Generated;
  const messages = refined(webhooks) as Generated['paths'];
  const operations = [...Object.values(paths), ...Object.values(messages)].flatMap((item) =>
    Object.values(item),
  );
  const parameters = new Shared(
    'parameters',
    operations.flatMap((operation) => (operation.parameters ?? []).map(namedParameter)),
  );
  const responses = new Shared(
    'responses',
    operations.flatMap((operation) => Object.entries(operation.responses).map(namedResponse)),
  );
  const shorten = (item: Generated['paths'][string]) =>
    mapValues(item, (operation) => ({
      ...operation,
      ...(operation.parameters && {
        parameters: operation.parameters.map((each) => parameters.place(namedParameter(each))),
      }),
      responses: mapEntries(operation.responses, (entry) => responses.place(namedResponse(entry))),
    }));
  const shortPaths = mapValues(paths, shorten);
  const text = JSON.stringify([shortPaths, responses.components], digits);
  const used = (kind: string, all: Json) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    );
  return {
    ...document,
    paths: shortPaths,
    ...withoutEmpty({ webhooks: mapValues(messages, shorten) }),
    components: withoutEmpty({
      ...components,
      parameters: parameters.components,
      responses: responses.components,
      headers: used('headers', HEADER_COMPONENTS),
      examples: used('examples', EXAMPLE_COMPONENTS),
    }),
  };
}

interface Named {
  readonly name: string;
  readonly value: Json;
}

/** The values of one kind that occur more than once, as components. */
class Shared {
  readonly components: Record<string, Json> = {};
  readonly #references = new Map<string, { readonly $ref: string }>();

  constructor(kind: string, all: readonly Named[]) {
    const uses = Map.groupBy(all, textOf);
    for (const [text, same] of uses) {
      const [first] = same;
      // Of two that have one name, the second stays spelled out. A test refuses that.
      if (first === undefined || same.length === 1 || first.name in this.components) continue;
      this.components[first.name] = first.value;
      this.#references.set(text, { $ref: `#/components/${kind}/${first.name}` });
    }
  }

  /** The reference to a shared value, or the value itself. */
  place(named: Named): Json {
    return this.#references.get(textOf(named)) ?? named.value;
  }
}

const digits = (_key: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part);

const textOf = ({ value }: Named): string => JSON.stringify(value, digits);

const namedParameter = (value: Parameter): Named => ({ name: value.name, value });

/**
 * Names a response after its codes that not every operation can return, such as `CategoryNotFound`.
 * Without such a code the name is that of the status, such as `Forbidden`.
 */
function namedResponse([status, value]: readonly [string, Response]): Named {
  const codes = Object.keys(value.content?.['application/json']?.examples ?? {});
  const own = codes.filter((code) => !isOfEveryOperation(code));
  const naming = own.length > 1 ? own.filter((code) => !isOfEveryBody(code)) : own;
  const phrase = (STATUS_CODES[status.replace('XX', '00')] ?? status).replaceAll(/[^A-Za-z]/g, '');
  const parts = [
    'Deprecation' in (value.headers ?? {}) ? 'Deprecated' : '',
    naming.length > 0 ? naming.map(pascalCase).join('Or') : phrase,
    'Accept-Patch' in (value.headers ?? {}) ? 'OfPatch' : '',
    status === '304' && 'Link' in (value.headers ?? {}) ? 'Page' : '',
  ];
  return { name: parts.join(''), value };
}

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/**
 * Says what the generator cannot: the bounds of 64-bit integers, and a description beside a reference
 * (which OpenAPI 3.1 allows) without `allOf`. Leaves out discriminators: some generators keep only the last word that one maps to
 * a schema. The enumerations of the schemas tell them apart.
 */
function refined(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(refined);
  if (typeof part !== 'object' || part === null) return part;
  const { allOf, discriminator: _, ...rest } = mapValues(part as Json, refined);
  if (Array.isArray(allOf)) return { ...rest, ...Object.assign({}, ...allOf) };
  const isUnbounded = rest['format'] === 'int64' && !('maximum' in rest);
  return isUnbounded ? { ...rest, minimum: INT64_MIN, maximum: INT64_MAX } : rest;
}

const withoutEmpty = (groups: Json): Json =>
  Object.fromEntries(
    Object.entries(groups).filter(([, group]) => Object.keys(group as Json).length > 0),
  );

const mapEntries = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (entry: readonly [string, T]) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map((entry) => [entry[0], change(entry)]));

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Record<string, U> => mapEntries(record, ([, value]) => change(value));
