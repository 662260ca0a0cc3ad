import { parseInt64 } from '../../int64.ts';
import type { Operation } from '../contract/operation.ts';

/** The URL of the reference, which is outside of /v1. It is served with every setting. */
const referenceUrl = (baseUrl: string): string => `${baseUrl.replace(/\/v1$/, '')}/docs`;

/** The constant headers of each response of an operation: since when it is deprecated (RFC 9745), and until when it works (RFC 8594). */
export const deprecationHeaders = ({ deprecation }: Operation): Record<string, string> =>
  deprecation === undefined
    ? {}
    : {
        Deprecation: `@${deprecation.since.getTime() / 1000}`,
        Sunset: deprecation.sunset.toUTCString(),
      };

/** Returns the Link header of a response, by the path parameters of its request. */
export type LinksOf = (pathParams: Readonly<Record<string, string>>) => string;

/**
 * The Link header of a deprecated operation: the documentation and the replacement (RFC 8288). Undefined if the
 * operation is not deprecated.
 */
export function deprecationLinks(
  { id, deprecation, additions }: Operation,
  baseUrl: string,
): LinksOf | undefined {
  if (deprecation === undefined) return undefined;
  const reference = `<${referenceUrl(baseUrl)}#${id}>; rel="deprecation"; type="text/html"`;
  const linkTo = (path: string) => `${reference}, <${baseUrl}${path}>; rel="alternate"`;
  const general = linkTo(deprecation.replacement);
  const template = additions?.replacement;
  if (template === undefined) return () => general;
  const [before = '', parameter = '', after = ''] = linkTo(template).split(/[{}]/);
  // A value that is not an identifier is not repeated in a header.
  return ({ [parameter]: value = '' }) =>
    parseInt64(value) === undefined ? general : before + value + after;
}
