const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a duration such as `500ms`, `30s`, `5m`, `1h`, `90d`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^([0-9]{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return digits === undefined || unitMs === undefined ? undefined : Number(digits) * unitMs;
}
