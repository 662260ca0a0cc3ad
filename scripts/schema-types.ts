/** TypeScript types of JSON schemas, as far as the OpenAPI document uses them. What is unknown is refused. */
import type { Schema } from '../src/http/document/read-document.ts';

export type Schemas = Readonly<Record<string, Schema>>;
type Direction = 'input' | 'output';

const TYPED = ['$ref', 'const', 'enum', 'anyOf', 'oneOf', 'allOf', 'type'];
const PARTS = ['format', 'items', 'properties', 'required', 'additionalProperties'];
/** They restrict or explain values, and change no type. */
const IGNORED = [
  ...[
    'description',
    'title',
    'example',
    'examples',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties', 'propertyNames'],
];

/** Starts at 0 and is always safe: a number in all representations of 64-bit integers. */
const isCount = ({ minimum, maximum = Number.POSITIVE_INFINITY }: Schema): boolean =>
  minimum === 0 && maximum <= Number.MAX_SAFE_INTEGER;

const isInt64 = (schema: Schema): boolean =>
  schema.format === 'int64' && [schema.type].flat().includes('integer') && !isCount(schema);

const isText = ({ type, enum: values = [], const: value }: Schema): boolean =>
  [type].flat().includes('string') ||
  [...values, value].some((literal) => typeof literal === 'string');

/** The names of fields in bodies and of parameters: the SDK parses and renders 64-bit integers by name. */
export class Fields {
  readonly #schemas: Schemas;
  readonly #kinds = new Map<string, boolean>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** @throws if fields of one name are both 64-bit integers and something else that the SDK would convert, too */
  add(name: string, schema: Schema, direction: Direction, place: string): void {
    const options = this.#options(schema);
    const parts = options.flatMap(({ items, additionalProperties }) => [
      items,
      additionalProperties,
    ]);
    const inner = parts.filter((part) => typeof part === 'object');
    if (inner.flatMap((part) => this.#options(part)).some(isInt64)) {
      throw new Error(`${place}: the SDK cannot parse 64-bit integers without a name.`);
    }
    const isLarge = options.some(isInt64);
    const hasText = options.some(isText);
    if (isLarge && hasText) {
      throw new Error(`${place}: a text and a 64-bit integer cannot be told apart.`);
    }
    // The SDK parses numbers only, so a text of a response may have the name of a 64-bit integer. In requests, it renders both.
    if (hasText && direction === 'output') return;
    if (this.#kinds.get(name) === !isLarge) {
      throw new Error(`${place}: another field of this name differs in being a 64-bit integer.`);
    }
    this.#kinds.set(name, isLarge);
  }

  /** A schema, or those that it allows, such as a number and null. */
  #options(schema: Schema): Schema[] {
    const name = nameIn(schema);
    if (name !== undefined) return this.#options(find(this.#schemas, name));
    const { anyOf = [], oneOf = [], allOf = [] } = schema;
    return [schema, ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => this.#options(part))];
  }

  int64Names(): string[] {
    return [...this.#kinds]
      .filter(([, isLarge]) => isLarge)
      .map(([name]) => name)
      .sort();
  }
}

export class TypeScript {
  readonly #schemas: Schemas;
  readonly #fields: Fields;
  readonly #reached = new Map<string, Direction>();

  constructor(schemas: Schemas, fields: Fields) {
    this.#schemas = schemas;
    this.#fields = fields;
  }

  /** Marks the named schemas in a body, so that they are declared. */
  reach(schema: Schema, direction: Direction, place: string): void {
    const name = nameIn(schema);
    if (name !== undefined) {
      if (this.#reached.get(name) === direction) return;
      this.#reached.set(name, direction);
      this.reach(find(this.#schemas, name), direction, name);
      return;
    }
    for (const [field, part] of Object.entries(schema.properties ?? {})) {
      this.#fields.add(field, part, direction, `${place}.${field}`);
    }
    for (const part of partsOf(schema)) this.reach(part, direction, place);
  }

  /** The declarations of all schemas that were reached, by name. */
  declareReached(): string[] {
    return [...this.#reached]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, direction]) => this.declare(name, find(this.#schemas, name), direction));
  }

  declare(name: string, schema: Schema, direction: Direction): string {
    const parameter = this.#hasInt64(schema) ? '<Id = number | bigint>' : '';
    const body = this.#type(schema, name, direction);
    const declaration = body.startsWith('{')
      ? `export interface ${name}${parameter} ${body}`
      : `export type ${name}${parameter} = ${body};`;
    return comment(schema.description) + declaration;
  }

  /** @param above the schemas that refer to this one: a schema may contain itself */
  #hasInt64(schema: Schema, above: readonly string[] = []): boolean {
    const name = nameIn(schema);
    if (name === undefined) {
      return isInt64(schema) || partsOf(schema).some((part) => this.#hasInt64(part, above));
    }
    return !above.includes(name) && this.#hasInt64(find(this.#schemas, name), [...above, name]);
  }

  /** @throws if the schema uses a keyword or type that is unknown here */
  #type(schema: Schema, place: string, direction: Direction): string {
    const known = [...TYPED, ...PARTS, ...IGNORED];
    const unknown = Object.keys(schema).filter(
      (key) => !known.includes(key) && !key.startsWith('x-'),
    );
    if (unknown.length > 0) throw new Error(`${place}: unknown keywords ${unknown.join(', ')}.`);
    const name = nameIn(schema);
    if (name !== undefined) return this.#hasInt64(schema) ? `${name}<Id>` : name;
    const inner = (part: Schema) => this.#type(part, place, direction);
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return schema.enum.map(literal).join(' | ');
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return union(options.map(inner));
    if (schema.allOf) {
      // A part without a type only adds a description.
      const typed = schema.allOf.filter((part) => TYPED.some((key) => key in part));
      return typed.map((part) => group(inner(part))).join(' & ');
    }
    const types = [schema.type].flat().map((type) => this.#plain(type, schema, place, direction));
    return union(types);
  }

  #plain(type: string | undefined, schema: Schema, place: string, direction: Direction): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return isInt64(schema) ? 'Id' : 'number';
      case 'array':
        if (!schema.items) throw new Error(`${place}: an array without items.`);
        return `readonly ${group(this.#type(schema.items, place, direction))}[]`;
      case 'object':
        return this.#object(schema, place, direction);
      default:
        throw new Error(`${place}: unknown type ${type}.`);
    }
  }

  #object(schema: Schema, place: string, direction: Direction): string {
    const { properties, additionalProperties, required = [] } = schema;
    const others = additionalProperties === true ? 'Readonly<Record<string, unknown>>' : undefined;
    if (!properties || Object.keys(properties).length === 0) {
      if (others) return others;
      if (properties && !additionalProperties) return 'Readonly<Record<string, never>>';
      if (typeof additionalProperties !== 'object')
        throw new Error(`${place}: an object without fields.`);
      return `Readonly<Record<string, ${this.#type(additionalProperties, place, direction)}>>`;
    }
    if (additionalProperties && !others) throw new Error(`${place}: both fields and others.`);
    const lines = Object.entries(properties).map(([name, part]) => {
      const type = this.#type(part, `${place}.${name}`, direction);
      const isRequired = required.includes(name);
      // A caller may pass undefined for a field that is left out; a response never contains it.
      const undefinable = !isRequired && direction === 'input' ? ' | undefined' : '';
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const text = `${comment(part.description)}readonly ${key}${isRequired ? '' : '?'}: ${type}${undefinable};`;
      return text.replaceAll(/^/gm, '  ');
    });
    const known = `{\n${lines.join('\n')}\n}`;
    return others ? `${others} & ${known}` : known;
  }
}

function find(schemas: Schemas, name: string): Schema {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`There is no schema ${name}.`);
  return schema;
}

const nameIn = ({ $ref }: Schema): string | undefined =>
  $ref === undefined ? undefined : $ref.replace('#/components/schemas/', '');

const partsOf = (schema: Schema): Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...[schema.items, schema.additionalProperties].filter((part) => typeof part === 'object'),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.allOf ?? []),
];

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new Error(`The literal ${JSON.stringify(value)} has no type.`);
}

/** A union that contains both texts and any text names the texts, and stays open for others. */
function union(types: readonly string[]): string {
  const hasTexts = types.some((type) => type.startsWith("'"));
  return types.map((type) => (type === 'string' && hasTexts ? '(string & {})' : type)).join(' | ');
}

const group = (type: string): string =>
  /[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type;

const comment = (description: string | undefined): string =>
  description === undefined ? '' : `/** ${description.replaceAll('*/', '*\\/')} */\n`;
