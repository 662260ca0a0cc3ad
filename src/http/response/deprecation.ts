import type { Deprecation } from '../contract/operation.ts';

/** The address of the page that documents the service, beside the versioned base address. */
const docsUrl = (baseUrl: string): string => `${baseUrl.replace(/\/v1$/, '')}/docs`;

/**
 * What every answer of a deprecated operation tells: since when (RFC 9745), until when
 * (RFC 8594), where that is explained, and what to use instead (RFC 8288).
 */
export function deprecationHeaders(
  { since, sunset, replacement }: Deprecation,
  baseUrl: string,
): Record<string, string> {
  return {
    Deprecation: `@${since.getTime() / 1000}`,
    Sunset: sunset.toUTCString(),
    Link:
      `<${docsUrl(baseUrl)}#deprecated>; rel="deprecation"; type="text/html", ` +
      `<${baseUrl}${replacement}>; rel="alternate"`,
  };
}
