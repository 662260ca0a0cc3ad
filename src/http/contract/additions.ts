import { getOpenApiMetadata, zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { DocumentedResponse, Operation } from './operation.ts';
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
          ...(schema && { schema: specifiedPart(schema), ...projection(addedFields(schema)) }),
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

/** The added fields of a resource, or of the resources of a list. */
function addedFields(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodArray) return addedFields(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries<z.ZodType>(schema.shape);
  return fields.filter(([, field]) => isAddition(field)).map(([name]) => name);
}

function specifiedPart<S extends z.ZodType>(schema: S): S {
  const added = addedFields(schema);
  if (added.length === 0) return schema;
  const changed =
    schema instanceof z.ZodArray
      ? { element: specifiedPart(schema.element as z.ZodType) }
      : { shape: without(added, (schema as unknown as z.ZodObject).shape) };
  const part = schema.clone({ ...schema._zod.def, ...changed });
  zodToOpenAPIRegistry.add(part, zodToOpenAPIRegistry.get(schema) ?? {});
  return part;
}

/** A function that removes added fields from a resource, or from those of a list. */
function projection(added: readonly string[]): Pick<DocumentedResponse, 'project'> {
  if (added.length === 0) return {};
  const project = (resource: Readonly<Record<string, unknown>>) => without(added, resource);
  return {
    project: (body) =>
      Array.isArray(body) ? body.map(project) : project(body as Readonly<Record<string, unknown>>),
  };
}
