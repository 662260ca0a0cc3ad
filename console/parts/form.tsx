import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { LeaveButton } from './dialog.tsx';
import { IsFixed } from './field.tsx';
import { Failure } from './notices.tsx';

export interface FormProps {
  readonly action: string;
  /** Another button sends it, too. */
  readonly second?: string;
  /** Buttons that do something else. */
  readonly last?: ReactNode;
  /** Something else is the main action of the dialog. */
  readonly isMinor?: boolean;
  readonly isReadOnly?: boolean;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  readonly onEdit?: () => void;
}

interface Props extends FormProps {
  /** Whether the button has the focus at first. */
  readonly autoFocus?: boolean;
  readonly onSubmit: (isSecond: boolean) => void;
  readonly children: ReactNode;
}

const SECOND = 'second';

/** The form of a dialog: its fields, why it failed, and the buttons that send it or leave. The browser refuses a part of a date, which has no value. */
export function Form(props: Props) {
  const { action, second, last, autoFocus, isMinor, isReadOnly = false, isBusy = false } = props;
  const { error, onEdit, onSubmit } = props;
  const { saving, close, cancel } = TEXTS.common;
  return (
    <form
      onChange={onEdit}
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent;
        if (!isBusy) onSubmit(submitter?.getAttribute('name') === SECOND);
      }}
    >
      <IsFixed value={isReadOnly || isBusy}>{props.children}</IsFixed>
      {error != null && <Failure error={error} />}
      <div className="actions">
        {!isReadOnly && (
          <Button
            look={isMinor ? undefined : 'primary'}
            type="submit"
            autoFocus={autoFocus}
            isBusy={isBusy}
          >
            {isBusy ? saving : action}
          </Button>
        )}
        {second && (
          <Button type="submit" name={SECOND} isBusy={isBusy}>
            {second}
          </Button>
        )}
        <LeaveButton>{isReadOnly ? close : cancel}</LeaveButton>
        {last && <span className="last">{last}</span>}
      </div>
    </form>
  );
}
