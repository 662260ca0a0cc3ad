import { escapeControlCharacters } from '../control-characters.ts';
import { componentOf, type Parameter, type Schema } from '../http/document/read-document.ts';
import { type Content, html, type Markup, markdown } from './html.ts';

/** What is said of a parameter or a field of a body. */
export interface Field extends Pick<Parameter, 'name' | 'schema' | 'description' | 'example'> {
  /** Its anchor, such as `createPet.body.name`. */
  readonly id: string;
  readonly isRequired: boolean;
  readonly isBeta?: boolean;
}

/** @param prefix the start of the anchors */
export const parameterFields = (parameters: readonly Parameter[], prefix: string) =>
  parameters.map((parameter) => ({
    ...parameter,
    id: `${prefix}.${parameter.in}.${parameter.name}`,
    place: parameter.in,
    isRequired: parameter.required === true,
    isBeta: parameter['x-stability'] !== undefined,
  }));

/** The fields of a body: of the object that it is or, if it is a list, consists of. */
export function bodyFields(schema: Schema, prefix: string): Field[] {
  if (schema.items !== undefined) return bodyFields(schema.items, prefix);
  // Of several objects in a field, those with a name are described elsewhere.
  const kinds = schema.oneOf ?? schema.anyOf?.filter((kind) => !componentOf(kind));
  if (kinds !== undefined) return merged(kinds, prefix);
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => ({
    id: `${prefix}.${name}`,
    name,
    schema: property,
    isRequired: required.includes(name),
    isBeta: property['x-stability'] !== undefined,
    ...(property.description && { description: property.description }),
  }));
}

/** The fields of several kinds of object, each name once. */
function merged(kinds: readonly Schema[], prefix: string): Field[] {
  const fields = kinds.flatMap((kind) => bodyFields(kind, prefix));
  return [...Map.groupBy(fields, ({ name }) => name).values()].map((same) => {
    const [first] = same as [Field];
    if (same.every((field) => Bun.deepEquals(field.schema, first.schema))) return first;
    const description = [...new Set(same.map((field) => field.description))].join('\n\n');
    return { ...first, schema: { anyOf: same.map(({ schema }) => schema) }, description };
  });
}

/** Fields, with the fields of the objects in them below them. */
export const fieldList = (fields: readonly Field[]): Content =>
  fields.length > 0 && html`<dl class="fields">${fields.map(describeField)}</dl>`;

const describeField = ({ id, name, schema, isRequired, isBeta, ...field }: Field): Markup => html`
<div id="${id}"><dt><b><code class="name">${name}</code></b> <span class="type">${typeOf(schema)}${isRequired && ' · required'}</span>
${isBeta && html`<span class="chip">beta</span>`}</dt>
<dd>${markdown(field.description ?? '')}
${facts(schema, field.example)}
${fieldList(bodyFields(schema, id))}</dd></div>`;

/** The type in words, such as `array of integer (int64)` or `string or null`. */
export function typeOf(schema: Schema): string {
  const { type = 'any', format, items, anyOf } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (type === 'object') return componentOf(schema) ?? 'object';
  return format === undefined ? String(type) : `${type} (${format})`;
}

function facts(schema: Schema, example: unknown): Content {
  const all: Content[] = [
    ...boundsOf(schema),
    ...(schema.items && schema.items.type !== 'object' ? boundsOf(schema.items, 'each ') : []),
    ...(schema.default === undefined ? [] : [html`default ${code(schema.default)}`]),
    ...(example === undefined ? [] : [html`example ${code(example)}`]),
  ];
  return all.length > 0 && html`<p class="facts">${separated(all, ' · ')}</p>`;
}

function boundsOf(schema: Schema, prefix = ''): Content[] {
  const { anyOf, enum: values, pattern } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((each) => boundsOf(each, prefix));
  return [
    ...(values ? [html`${prefix}one of ${separated(values.map(code))}`] : []),
    ...range(prefix, schema.minimum, schema.maximum, ''),
    ...range(prefix, schema.minLength, schema.maxLength, ' characters'),
    ...range(prefix, schema.minItems, schema.maxItems, ' items'),
    ...(schema.uniqueItems ? ['no item twice'] : []),
    ...(pattern ? [html`${prefix}pattern ${code(escapeControlCharacters(pattern))}`] : []),
  ];
}

/** The parts with a separator between them. */
export const separated = (parts: readonly Content[], separator = ', '): Content[] =>
  parts.map((part, index) => [index > 0 && separator, part]);

function range(prefix: string, least: Schema['minimum'], most: Schema['maximum'], unit: string) {
  if (least === undefined && most === undefined) return [];
  if (least === undefined) return [`${prefix}at most ${most}${unit}`];
  if (most === undefined) return [`${prefix}at least ${least}${unit}`];
  return [`${prefix}${least} to ${most}${unit}`];
}

const code = (value: unknown): Markup =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
