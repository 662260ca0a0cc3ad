/**
 * Selects the newest time that the catalogue contains, in milliseconds since 1970-01-01T00:00:00Z, NULL if it has none. For both
 * engines. The ids of orders ascend with time. Times that were in the future when they were stored, such as an expiry, do not count.
 * @param schema the schema of the tables with a dot, or nothing.
 */
export const selectNewestTime = (schema: '' | 'animal_store.'): string => {
  const times = [
    `SELECT created_at FROM ${schema}orders ORDER BY id DESC LIMIT 1`,
    `SELECT max(created_at) FROM ${schema}api_keys`,
    `SELECT max(revoked_at) FROM ${schema}api_keys`,
    `SELECT max(last_called_at) FROM ${schema}operation_usage`,
    `SELECT max(saved_at) FROM ${schema}idempotency_records`,
  ];
  const rows = times.map((time) => `SELECT (${time}) AS time`);
  return `SELECT max(time) AS time FROM (${rows.join(' UNION ALL ')}) AS times`;
};
