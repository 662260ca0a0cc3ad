import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What proxies write around an address: `[2001:db8::1]:4711`, `[2001:db8::1]`, `192.0.2.1:4711`. */
const WRAPPED = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;
const ZONE = /%.*$/;

/**
 * The one spelling of an IP address, or undefined where the text is none. An IPv4 address that is written as
 * IPv6 is IPv4; a port and a zone are left out.
 */
export function canonicalAddress(text: string): string | undefined {
  const [, inBrackets, beforePort] = WRAPPED.exec(text) ?? [];
  const address = (inBrackets ?? beforePort ?? text).replace(ZONE, '');
  // The library also reads short and octal forms, which are read differently elsewhere.
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}

/** The client that an address belongs to: with IPv6 the whole /64, since one client has all its addresses (RFC 6177). */
export const networkOf = (address: string): string =>
  isIP(address) === 6 ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString() : address;
