export const isPostgresUrl = (database: string): boolean => /^postgres(?:ql)?:\/\//i.test(database);

/** The path or URL of a database without password and parameters, for messages and logs. */
export function withoutPassword(database: string): string {
  if (!isPostgresUrl(database)) return database;
  const url = new URL(database);
  url.password = '';
  url.search = '';
  return url.href;
}
