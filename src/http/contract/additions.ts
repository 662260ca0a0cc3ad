import { getOpenApiMetadata, zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { Operation } from './operation.ts';
import { z } from './zod.ts';

/**
 * Our additions to the specified operations, which may still change: parameters and fields with this mark, and what the
 * declaration of an operation lists under `additions`. They are absent if extensions are off. Two families of tools read
 * the two names.
 */
export const BETA = { 'x-stability': 'beta', 'x-stability-level': 'beta' } as const;

/** The operation as specified, without our additions. */
export function withoutExtensions({ additions, ...operation }: Operation): Operation {
  const { headers = [], errors = [] } = additions ?? {};
  const { query, body, responses } = operation;
  return {
    ...operation,
    ...(query && { query: specifiedPart(query) }),
    ...(body && { body: { ...body, schema: specifiedPart(body.schema) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { schema, ...response }]) => [
        status,
        {
          ...response,
          ...(schema && { schema: specifiedPart(schema) }),
          ...(schema && hasAdditions(schema) && { project: projectionTo(schema) }),
          headers: without(headers, response.headers ?? {}),
        },
      ]),
    ),
    errors: operation.errors.filter((code) => !errors.includes(code)),
  };
}

const without = <T>(names: readonly string[], record: Readonly<Record<string, T>>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Whether a field or a parameter has the mark. */
function isAddition(schema: z.ZodType): boolean {
  const { param, ...own } = getOpenApiMetadata(schema);
  return 'x-stability' in { ...own, ...param };
}

/** Whether a schema has an added field, at any depth. */
const hasAdditions = (schema: z.ZodType): boolean => specifiedPart(schema) !== schema;

/** The schema without the added fields, at every depth. The same schema if it has none. */
function specifiedPart<S extends z.ZodType>(schema: S): S {
  const part = computeSpecifiedPart(schema);
  if (part !== schema) zodToOpenAPIRegistry.add(part, zodToOpenAPIRegistry.get(schema) ?? {});
  return part as S;
}

function computeSpecifiedPart(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape);
    const specified = fields
      .filter(([, field]) => !isAddition(field))
      .map(([name, field]) => [name, specifiedPart(field)] as const);
    const isSame =
      specified.length === fields.length &&
      specified.every(([, field], index) => field === fields[index]?.[1]);
    return isSame
      ? schema
      : schema.clone({ ...schema._zod.def, shape: Object.fromEntries(specified) });
  }
  if (schema instanceof z.ZodArray) return withInner(schema, 'element', schema.element);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return withInner(schema, 'innerType', schema.unwrap());
  if (
    schema instanceof z.ZodUnion &&
    schema.options.some((option) => hasAdditions(option as z.ZodType))
  )
    throw new Error('An added field within a union cannot be left out.');
  return schema;
}

/** The schema with the specified part of what it contains. Its checks stay. */
function withInner(schema: z.ZodType, name: 'element' | 'innerType', inner: unknown): z.ZodType {
  const part = specifiedPart(inner as z.ZodType);
  return part === inner ? schema : schema.clone({ ...schema._zod.def, [name]: part } as never);
}

/** Returns a function that removes the added fields from a value of the schema. */
function projectionTo(schema: unknown): (value: unknown) => unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return projectionTo(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const project = projectionTo(schema.element);
    return (value) => (Array.isArray(value) ? value.map(project) : value);
  }
  if (!(schema instanceof z.ZodObject)) return (value) => value;
  const fields = Object.entries<z.ZodType>(schema.shape)
    .filter(([, field]) => !isAddition(field))
    .map(([name, field]) => [name, projectionTo(field)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const resource = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(fields.map(([name, project]) => [name, project(resource[name])]));
  };
}
