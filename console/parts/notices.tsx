import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { describeFailure, retryDelayMs } from '../failures.ts';
import { formatClock, formatNumber } from '../format.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Name } from './named.tsx';

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
}

/** Scrolls to a notice because the button that failed may be at the end of a long list. A part that could not be loaded is where it is. */
export function reveal(notice: HTMLElement | null): void {
  if (notice === null) return;
  // Otherwise, a row that is held goes back to its place.
  dispatchEvent(new Event('reveal'));
  notice.scrollIntoView({ block: 'nearest' });
}

/** What went wrong, in the service's words, with the request id to quote. Tries again when the service says. */
export function Failure({ error, onRetry }: FailureProps) {
  const { message, requestId } = describeFailure(error);
  const retryTime = useRetryTime(error, onRetry);
  return (
    <div className="notice bad" role="alert" ref={onRetry ? undefined : reveal}>
      <strong>{TEXTS.failures.title}</strong>
      <span>{message}</span>
      {requestId && (
        <small>
          {TEXTS.common.requestId} <code>{requestId}</code>
        </small>
      )}
      {retryTime !== undefined && (
        <span>
          {onRetry ? TEXTS.common.triesAgain(retryTime) : TEXTS.common.tryAgainAt(retryTime)}
        </span>
      )}
      {onRetry && (
        <div className="actions">
          <Button small onClick={onRetry}>
            {retryTime === undefined ? TEXTS.common.tryAgain : TEXTS.common.tryNow}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Says that what the dialog is about was deleted meanwhile. */
export const Gone = ({ children }: { readonly children: string }) => (
  <p className="notice waiting" role="alert">
    {children}
  </p>
);

const SHOWN_FAULTS = 5;

interface FaultsProps {
  readonly title: string;
  readonly faults: readonly { readonly name?: string; readonly reason: string }[];
}

/** What is wrong with some of many things: the first ones, and how many more. */
export function Faults({ title, faults }: FaultsProps) {
  const more = faults.length - SHOWN_FAULTS;
  if (faults.length === 0) return null;
  return (
    <div className="notice bad" role="alert">
      <strong>{title}</strong>
      <ul>
        {faults.slice(0, SHOWN_FAULTS).map(({ name, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several faults can have the same text
          <li key={index}>
            {name && <Name>{name}</Name>}
            {name && ': '}
            {reason}
          </li>
        ))}
      </ul>
      {more > 0 && <span>{TEXTS.animals.more(formatNumber(more))}</span>}
    </div>
  );
}

/** Timers of browsers overflow beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time of the next attempt, if the service asks to wait. Makes this attempt if that is possible. */
function useRetryTime(error: unknown, onRetry?: () => unknown): string | undefined {
  const delayMs = retryDelayMs(error);
  const [seenAt, setSeenAt] = useState({ error, at: Date.now() });
  if (seenAt.error !== error) setSeenAt({ error, at: Date.now() });
  const retry = useEffectEvent(() => onRetry?.());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is followed by one attempt
  useEffect(() => {
    if (delayMs === undefined || delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => retry(), delayMs);
    return () => clearTimeout(timer);
  }, [error, delayMs]);
  return delayMs === undefined ? undefined : formatClock(seenAt.at + delayMs);
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly hint: string;
  readonly children?: ReactNode;
}

export function Empty({ icon, title, hint, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      {hint && <p>{hint}</p>}
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{TEXTS.common.loading}</span>
      {['a', 'b', 'c', 'd', 'e', 'f'].map((line) => (
        <span key={line} />
      ))}
    </div>
  );
}
