import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address and the number of its leading bits. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Undefined if the text is no network, such as 10.0.0.0/8 or fd00::/8. */
export const parseNetwork = (text: string): Network | undefined =>
  isIP(text.split('/')[0] ?? '') > 0 && ipaddr.isValidCIDR(text)
    ? ipaddr.parseCIDR(text)
    : undefined;

/** All addresses of the internet have these bits. Others contain IPv4 addresses, or lead into a site. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address is one of the public internet, or in one of these networks. */
export function isAllowedAddress(text: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const isIn = ([network, bits]: Network) =>
    address.kind() === network.kind() && address.match([network, bits] as never);
  if (networks.some(isIn)) return true;
  // A mapped address is refused even if it contains a public one: no resolver returns it.
  return (
    ipaddr.parse(text).range() === 'unicast' && (address.kind() === 'ipv4' || isIn(PUBLIC_IPV6))
  );
}
