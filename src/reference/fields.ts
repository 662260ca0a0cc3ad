import type { Parameter, Schema } from './described.ts';
import { type Content, html, type Markup, markdown } from './html.ts';

/** What is said of a parameter or a field of a body. */
interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isBeta?: boolean;
  readonly description?: string | undefined;
  readonly example?: unknown;
}

export const parameterList = (parameters: readonly Parameter[]): Markup =>
  fieldList(
    parameters.map((parameter) => ({
      name: parameter.name,
      schema: parameter.schema,
      isRequired: parameter.required === true,
      isBeta: parameter['x-stability'] !== undefined,
      description: parameter.description,
      example: parameter.example,
    })),
  );

/** The fields of a body. Those of the objects in it are below their field. */
export function bodyFields(schema: Schema): Markup | undefined {
  const { properties, required = [] } = objectIn(schema) ?? {};
  if (properties === undefined) return undefined;
  return fieldList(
    Object.entries(properties).map(([name, property]) => ({
      name,
      schema: property,
      isRequired: required.includes(name),
      description: property.description,
    })),
  );
}

/** The object that a body is or, if it is a list, consists of. */
const objectIn = (schema: Schema): Schema | undefined =>
  schema.type === 'array' ? schema.items && objectIn(schema.items) : schema;

const fieldList = (fields: readonly Field[]): Markup =>
  html`<dl class="fields">${fields.map(
    (field) => html`
<div><dt><code class="name">${field.name}</code> <span class="type">${typeOf(field.schema)}</span>
${field.isRequired ? html`<span class="mark required">required</span>` : html`<span class="mark">optional</span>`}
${field.isBeta && html`<span class="mark beta">beta</span>`}</dt>
<dd>${field.description !== undefined && markdown(field.description)}
${facts(field)}
${field.schema.type === 'object' || field.schema.type === 'array' ? bodyFields(field.schema) : undefined}</dd></div>`,
  )}</dl>`;

/** The type in words, such as `array of integer (int64)` or `string or null`. */
export function typeOf({ type, format, items, anyOf, component }: Schema): string {
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (type === 'object') return component ?? 'object';
  return format === undefined ? (type ?? 'any') : `${type} (${format})`;
}

function facts({ schema, example }: Field): Markup | undefined {
  const all: Content[] = [
    ...boundsOf(schema),
    ...(schema.items && schema.items.type !== 'object' ? boundsOf(schema.items, 'each ') : []),
    ...(schema.default === undefined ? [] : [html`default ${code(schema.default)}`]),
    ...(example === undefined ? [] : [html`example ${code(example)}`]),
  ];
  if (all.length === 0) return undefined;
  return html`<ul class="facts">${all.map((fact) => html`<li>${fact}</li>`)}</ul>`;
}

function boundsOf(schema: Schema, prefix = ''): Content[] {
  const { anyOf, pattern } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((each) => boundsOf(each, prefix));
  const values = schema.enum?.map((value, index) => [index > 0 && ', ', code(value)]);
  return [
    ...(values ? [html`${prefix}one of ${values}`] : []),
    ...range(prefix, schema.minimum, schema.maximum, ''),
    ...range(prefix, schema.minLength, schema.maxLength, ' characters'),
    ...range(prefix, schema.minItems, schema.maxItems, ' items'),
    ...(schema.uniqueItems ? ['no item twice'] : []),
    ...(pattern === undefined ? [] : [html`${prefix}pattern ${code(pattern)}`]),
  ];
}

type Bound = number | bigint | undefined;

function range(prefix: string, least: Bound, most: Bound, unit: string): string[] {
  if (least === undefined && most === undefined) return [];
  if (least === undefined) return [`${prefix}at most ${most}${unit}`];
  if (most === undefined) return [`${prefix}at least ${least}${unit}`];
  return [`${prefix}${least} to ${most}${unit}`];
}

const code = (value: unknown): Markup =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
