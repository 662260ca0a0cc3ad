/** Each IP address has one canonical form. */
import { expect, test } from 'bun:test';
import { canonicalAddress } from '../../../src/http/request/client-address.ts';

test.each([
  ['192.0.2.1', ['192.0.2.1', '192.0.2.1:80', '::ffff:192.0.2.1', '[::FFFF:C000:0201]:80']],
  ['192.0.2.1', ['0:0:0:0:0:ffff:192.0.2.1', '[::ffff:192.0.2.1]']],
  ['2001:db8::1', ['2001:DB8:0:0:0:0:0:1', '2001:0db8::0001', '[2001:db8::1]', '[2001:db8::1]:80']],
  ['2001:db8::1', ['2001:db8:0:0::0:1', '2001:db8::1%eth0']],
  ['fe80::1', ['fe80::1%eth0', 'FE80:0::1%1', 'FE80::1%25eth0', '[fe80::1%1]:80']],
  ['::1', ['::1', '0:0:0:0:0:0:0:1', '[::1]:1']],
])('%s is the canonical form of %j', (canonical, others) => {
  for (const other of others) expect(canonicalAddress(other)).toBe(canonical);
});

test.each([
  ...['', ' ', '1', '127.1', '0x7f.1', '01.2.3.4', '1.2.3.256', '1.2.3.4:', '::1:x', '[::1', 'x'],
  ...['client.example', 'unix:', '0300.0.02.01', '2001:db8::/64', '[2001:db8::1'],
  ...['192.0.2.1:http', '1:'.repeat(4_000)],
])('%j is not an address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});
