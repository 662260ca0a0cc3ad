/** The time of the service. The clock of a browser may be wrong, and a hold ends by the clock of the service. */

/** The header Date leaves out the fraction of the second. */
const RESOLUTION_MS = 1000;

/** A response may be on its way for some time. */
const TOLERANCE_MS = 30_000;

let offsetMs = 0;

export const serviceNow = (): number => Date.now() + offsetMs;

export function setClock(headers: Headers): void {
  const differenceMs = Date.parse(headers.get('Date') ?? '') + RESOLUTION_MS - Date.now();
  if (Number.isNaN(differenceMs)) return;
  offsetMs = Math.abs(differenceMs) < TOLERANCE_MS ? 0 : differenceMs;
}
