import { isIPv6 } from 'node:net';

/**
 * `uri-host [":" port]` (RFC 9112 §3.2, RFC 3986 §3.2.2), or empty. The runtime joins two Host
 * headers with a comma and a space, which no host contains.
 */
const HOST =
  /^(?:(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*|\[(?<ipv6>[0-9A-Fa-f:.]+)\]|\[v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\])(?::(?<port>[0-9]*))?$/;

const MAX_PORT = 65_535;

/** Whether a Host header has a valid value, once. The runtime accepts any. */
export function isValidHost(host: string): boolean {
  const match = HOST.exec(host);
  if (match === null) return false;
  const { ipv6, port } = match.groups ?? {};
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port ?? 0) <= MAX_PORT;
}

export const INVALID_HOST = 'The request must have exactly one valid Host header.';
