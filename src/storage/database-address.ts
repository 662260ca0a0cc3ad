export const isPostgresAddress = (address: string): boolean =>
  /^postgres(?:ql)?:\/\//i.test(address);

/** The address of a database without its password and parameters, for messages and logs. */
export function withoutPassword(address: string): string {
  if (!isPostgresAddress(address)) return address;
  const url = new URL(address);
  url.password = '';
  url.search = '';
  return url.href;
}
