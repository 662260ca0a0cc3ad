import { type FormEvent, useState } from 'react';
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

export function SignIn({ fault, isBusy, onSubmit }: Props) {
  const [apiKey, setApiKey] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = apiKey.trim();
    setIsMissing(trimmed === '');
    if (trimmed !== '') onSubmit(trimmed);
  };
  const ended = typeof fault === 'string' ? fault : undefined;
  const refused = isRefusedKey(fault) ? TEXTS.signIn.refused : undefined;
  return (
    <main className="welcome">
      <div className="card">
        <p className="brand">
          <span className="mark">
            <Icon name="paw" />
          </span>
          {TEXTS.product}
        </p>
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
            fault={isMissing ? TEXTS.signIn.missing : refused}
          />
          {fault !== undefined && !ended && !refused && <Failure error={fault} />}
          <Button look="primary" type="submit" disabled={isBusy}>
            {isBusy ? TEXTS.signIn.submitting : TEXTS.signIn.submit}
          </Button>
        </form>
      </div>
    </main>
  );
}
