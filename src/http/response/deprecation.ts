import type { Deprecation } from '../contract/operation.ts';

/** The URL of the reference, which is outside of /v1. This page is there with every setting. */
const referenceUrl = (baseUrl: string): string => `${baseUrl.replace(/\/v1$/, '')}/docs/plain`;

/**
 * The headers of each response of a deprecated operation: since when (RFC 9745), until when
 * (RFC 8594), the documentation and the replacement (RFC 8288).
 */
export function deprecationHeaders(
  operationId: string,
  { since, sunset, replacement }: Deprecation,
  baseUrl: string,
): Record<string, string> {
  return {
    Deprecation: `@${since.getTime() / 1000}`,
    Sunset: sunset.toUTCString(),
    Link:
      `<${referenceUrl(baseUrl)}#${operationId}>; rel="deprecation"; type="text/html", ` +
      `<${baseUrl}${replacement}>; rel="alternate"`,
  };
}
