import type { Samples } from '../rounds.ts';
import { ratioOf, type Spread } from '../statistics.ts';

/** The service with something beside the requests, relative to without, in the same round. Less than 1: it costs something. */
export interface Ratios {
  readonly requestsPerSecond: Spread;
  /** The processor time per request without it, divided by that with it. */
  readonly processorTime: Spread;
}

/** @param samples those of the server without it, then those of the server with it. */
export function ratiosOf(samples: Samples): Ratios {
  const [quiet = [], busy = []] = [...samples.values()];
  return {
    requestsPerSecond: ratioOf(
      busy.map(({ requestsPerSecond }) => requestsPerSecond),
      quiet.map(({ requestsPerSecond }) => requestsPerSecond),
    ),
    processorTime: ratioOf(
      quiet.map(({ processorMicroseconds }) => processorMicroseconds),
      busy.map(({ processorMicroseconds }) => processorMicroseconds),
    ),
  };
}

/** @param what what the second server had beside the requests. */
export const renderRatios = (
  { requestsPerSecond, processorTime }: Ratios,
  what: string,
  target: number,
): string =>
  `With ${what}: ${renderSpread(requestsPerSecond)} times the requests/s, ` +
  `${renderSpread(processorTime)} times by processor time. Target: at least ${target}.\n`;

const renderSpread = ({ median, lowest, highest }: Spread): string =>
  `${median.toFixed(3)} (${lowest.toFixed(3)}–${highest.toFixed(3)})`;
