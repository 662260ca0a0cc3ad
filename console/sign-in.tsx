import { type FormEvent, type ReactNode, useState } from 'react';
import { isRefusedKey } from './failures.ts';
import { Button } from './parts/button.tsx';
import { TextField } from './parts/field.tsx';
import { Icon } from './parts/icon.tsx';
import { Failure } from './parts/notices.tsx';
import { TEXTS } from './texts.ts';

interface Props {
  /** Why the last API key was not accepted, or why the session ended. */
  readonly fault: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (apiKey: string) => void;
}

/** The frame of the pages without a session. */
function Welcome({ children }: { readonly children: ReactNode }) {
  return (
    <main className="welcome">
      <div className="card">
        <p className="brand">
          <span className="mark">
            <Icon name="paw" />
          </span>
          {TEXTS.product}
        </p>
        {children}
      </div>
    </main>
  );
}

/** No header can contain other characters. */
const SENDABLE = /^[!-~]+$/;

export function SignIn({ fault, isBusy, onSubmit }: Props) {
  const [apiKey, setApiKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = apiKey.trim();
    const isSendable = SENDABLE.test(trimmed);
    if (trimmed === '') setProblem(TEXTS.signIn.missing);
    else setProblem(isSendable ? undefined : TEXTS.signIn.refused);
    if (isSendable) onSubmit(trimmed);
  };
  const ended = typeof fault === 'string' ? fault : undefined;
  const refused = isRefusedKey(fault) ? TEXTS.signIn.refused : undefined;
  return (
    <Welcome>
      <div>
        <h1>{TEXTS.signIn.title}</h1>
        <p className="muted">{TEXTS.signIn.introduction}</p>
      </div>
      {ended && (
        <p className="notice waiting" role="alert">
          {ended}
        </p>
      )}
      <form onSubmit={submit} noValidate>
        <TextField
          label={TEXTS.signIn.label}
          hint={TEXTS.signIn.hint}
          type="password"
          spellCheck={false}
          autoFocus
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          fault={problem ?? refused}
        />
        {fault !== undefined && !ended && !refused && <Failure error={fault} />}
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? TEXTS.signIn.submitting : TEXTS.signIn.submit}
        </Button>
      </form>
    </Welcome>
  );
}

interface NotConnectedProps {
  readonly fault: unknown;
  readonly onRetry: () => void;
  readonly onLeave: () => void;
}

/** The user is signed in, but the service sent no good response when the page was loaded. */
export function NotConnected({ fault, onRetry, onLeave }: NotConnectedProps) {
  return (
    <Welcome>
      <h1>{TEXTS.signIn.notConnected}</h1>
      <Failure error={fault} onRetry={onRetry} />
      <div className="actions">
        <Button onClick={onLeave}>{TEXTS.frame.signOut}</Button>
      </div>
    </Welcome>
  );
}
