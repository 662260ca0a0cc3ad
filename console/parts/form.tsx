import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { LeaveButton } from './dialog.tsx';
import { Failure } from './notices.tsx';

interface Props {
  /** What the button says that sends the form. */
  readonly action: string;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  readonly onSubmit: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** The form of a dialog: its fields, why it failed, and the buttons that send it or leave. */
export const Form = ({ action, isBusy = false, error, onSubmit, children }: Props) => (
  <form
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      if (!isBusy) onSubmit();
    }}
  >
    {children}
    {error != null && <Failure error={error} />}
    <div className="actions">
      <Button look="primary" type="submit" isBusy={isBusy}>
        {isBusy ? TEXTS.common.saving : action}
      </Button>
      <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
    </div>
  </form>
);
