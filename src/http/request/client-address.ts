import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses with brackets and ports, as proxies write them: `[2001:db8::1]:4711`, `[2001:db8::1]`, `192.0.2.1:4711`. */
const WRAPPED = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;
const ZONE = /%.*$/;

/**
 * The canonical form of an IP address, or undefined if the text is not an address. An IPv4-mapped
 * IPv6 address becomes IPv4; a port and a zone are removed.
 */
export function canonicalAddress(text: string): string | undefined {
  const [, inBrackets, beforePort] = WRAPPED.exec(text) ?? [];
  const address = (inBrackets ?? beforePort ?? text).replace(ZONE, '');
  // The library also accepts short and octal forms, which other programs interpret differently.
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}

/** Returns the IP address of the client in canonical form, or an empty text if it is unknown. */
export type AddressOf = (request: Request) => string;
