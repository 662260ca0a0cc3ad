const given = process.env['no_proxy'] ?? process.env['NO_PROXY'];
const addresses = [given, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',');

/** Variables for processes that ask services of this machine, which a proxy to the internet does not reach. */
export const DIRECT = { no_proxy: addresses, NO_PROXY: addresses };
