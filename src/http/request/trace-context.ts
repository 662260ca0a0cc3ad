/** The span of the client, in lower-case hexadecimal digits. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** Version, trace id, parent id and flags; a version after 00 may add fields (W3C Trace Context §3.2). */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Parses the header `traceparent`. Returns undefined if it is missing or invalid. */
export function parseTraceparent(header: string | null): TraceContext | undefined {
  if (header === null) return undefined;
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return version === '00' && more !== undefined ? undefined : { traceId, spanId };
}
