import { levelOf } from './attributes.ts';
import { messageOf } from './exception.ts';
import { type LogLevel, loggedLevels } from './level.ts';
import type { Observation, Observe } from './observation.ts';

/** After this time, the lines that were left out are counted in one line. */
const WINDOW_MS = 10_000;

/** More causes of failures than a service has at a time. Further ones share their count. */
const MAX_WINDOWS = 100;

type LimitedEvent =
  | 'request_failed'
  | 'background_job_failed'
  | 'checkpoint_failed'
  | 'credential_refused'
  | 'webhook_attempted';
type LimitedObservation = Observation & { readonly kind: LimitedEvent };

/** How many lines of one cause are written: in the first window, and in each window right after it. */
interface Limit {
  readonly first: number;
  readonly later: number;
}

const LIMITS: Readonly<Record<LimitedEvent, Limit>> = {
  request_failed: { first: 1, later: 0 },
  background_job_failed: { first: 1, later: 0 },
  checkpoint_failed: { first: 1, later: 0 },
  credential_refused: { first: 10, later: 10 },
  webhook_attempted: { first: 10, later: 10 },
};

interface Window {
  readonly event: LimitedEvent;
  readonly cause: string | undefined;
  /** How many more lines are written. */
  lines: number;
  leftOut: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Limits the lines of an incident: each cause has its first line. Then one line in ten seconds has the number of lines that
 * were left out. Of refused credentials, ten lines are written in ten seconds. Other observations pass, as do those that the
 * log does not contain at its level.
 */
export function limitLines(observe: Observe, level: LogLevel): Observe {
  const logged = loggedLevels(level);
  const windows = new Map<string, Window>();

  const report = ({ event, cause, leftOut }: Window): void => {
    if (leftOut > 0) observe({ kind: 'lines_left_out', event, leftOut, cause });
  };

  const startTimer = (name: string, window: Window): void => {
    window.timer = setTimeout(() => {
      report(window);
      if (window.leftOut === 0) {
        windows.delete(name);
        return;
      }
      window.leftOut = 0;
      window.lines = LIMITS[window.event].later;
      startTimer(name, window);
    }, WINDOW_MS);
    window.timer.unref();
  };

  const limit = (observation: LimitedObservation): void => {
    const { kind: event } = observation;
    const cause = causeOf(observation);
    const exactName = cause === undefined ? event : `${event} ${cause}`;
    const name = windows.has(exactName) || windows.size < MAX_WINDOWS ? exactName : event;
    let window = windows.get(name);
    if (window === undefined) {
      const shown = name === exactName ? cause : undefined;
      window = { event, cause: shown, lines: LIMITS[event].first, leftOut: 0, timer: undefined };
      windows.set(name, window);
      startTimer(name, window);
    }
    if (window.lines > 0) {
      window.lines -= 1;
      observe(observation);
    } else window.leftOut += 1;
  };

  const reportAll = (): void => {
    for (const window of windows.values()) {
      clearTimeout(window.timer);
      report(window);
    }
    windows.clear();
  };

  return (observation) => {
    if (observation.kind === 'request') return observe(observation);
    if (isLimited(observation) && logged.has(levelOf(observation))) return limit(observation);
    // The last line: no timer fires after it.
    if (observation.kind === 'shutdown_finished') reportAll();
    observe(observation);
  };
}

function causeOf(observation: LimitedObservation): string | undefined {
  if (observation.kind === 'webhook_attempted')
    return `webhook endpoint ${observation.endpointId}: ${observation.reason}`;
  return 'error' in observation ? messageOf(observation.error) : undefined;
}

/** A webhook that was delivered is written only at the level debug. */
const isLimited = (observation: Observation): observation is LimitedObservation =>
  Object.hasOwn(LIMITS, observation.kind) &&
  !(observation.kind === 'webhook_attempted' && observation.reason === undefined);
