import type { ReactNode } from 'react';
import { describeFailure } from '../failures.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Scrolls to a notice, since the button that failed may be at the end of a long list. */
const reveal = (notice: HTMLElement | null) => notice?.scrollIntoView({ block: 'nearest' });

/** What went wrong, in the service's words, with the request id to quote. */
export function Failure({ error, onRetry }: FailureProps) {
  const { message, requestId } = describeFailure(error);
  return (
    <div className="notice bad" role="alert" ref={reveal}>
      <strong>{TEXTS.failures.title}</strong>
      <span>{message}</span>
      {requestId && (
        <small>
          {TEXTS.common.requestId} <code>{requestId}</code>
        </small>
      )}
      {onRetry && (
        <div className="actions">
          <Button small onClick={onRetry}>
            {TEXTS.common.tryAgain}
          </Button>
        </div>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  readonly children?: ReactNode;
}

/** The place of a list that has no entries. */
export function Empty({ icon, title, hint, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      <p>{hint}</p>
      {children}
    </div>
  );
}

/** The place of a list that is being loaded. */
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
