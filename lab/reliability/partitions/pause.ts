/** The longest time within a period in which nothing was acknowledged, in seconds. */
export function longestPause(
  acknowledgedMs: readonly number[],
  fromMs: number,
  untilMs: number,
): number {
  const within = acknowledgedMs.filter((at) => at > fromMs && at < untilMs);
  const moments = [fromMs, ...within, untilMs];
  const pauses = moments.slice(1).map((at, index) => at - (moments[index] as number));
  return Math.round(Math.max(...pauses) / 100) / 10;
}
