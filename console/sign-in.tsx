import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { isRefusedKey } from './failures.ts';
import { Button } from './parts/button.tsx';
import { TextField } from './parts/field.tsx';
import { Icon } from './parts/icon.tsx';
import { Failure } from './parts/notices.tsx';
import { TEXTS } from './texts.ts';

interface Props {
  readonly fault: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (apiKey: string) => void;
}

interface FormProps extends Props {
  readonly children?: ReactNode;
}

/** The frame of the pages without a session. */
function Welcome({ children }: { readonly children: ReactNode }) {
  // A small window is scrolled to the field. The next page begins at its top.
  useEffect(() => () => scrollTo(0, 0), []);
  return (
    <main className="welcome">
      <div className="card">
        <p className="brand">
          <span className="mark">
            <Icon name="animals" />
          </span>
          {TEXTS.product}
        </p>
        {children}
      </div>
    </main>
  );
}

export function SignIn(props: Props) {
  return (
    <Welcome>
      <div>
        <h1>{TEXTS.signIn.title}</h1>
        <p className="muted">{TEXTS.signIn.introduction}</p>
      </div>
      <KeyForm {...props} />
    </Welcome>
  );
}

/** No header can contain other characters. */
const SENDABLE = /^[!-~]+$/;

export function KeyForm({ fault, isBusy, onSubmit, children }: FormProps) {
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
  const refused = isRefusedKey(fault) ? TEXTS.signIn.refused : undefined;
  return (
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
      {fault !== undefined && !refused && <Failure error={fault} />}
      <div className="actions">
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? TEXTS.signIn.submitting : TEXTS.signIn.submit}
        </Button>
        {children}
      </div>
    </form>
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
