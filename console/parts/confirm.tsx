import type { ReactNode } from 'react';
import { useIsPending } from '../pending.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Modal } from './modal.tsx';
import { Failure } from './notices.tsx';

interface Props {
  readonly title: ReactNode;
  readonly hint?: string | undefined;
  readonly action: string;
  readonly keep?: string;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** What is asked. */
export type Question = Pick<Props, 'title' | 'hint' | 'action' | 'keep'>;

/** Asks before something that cannot be undone, on top of the dialog that may be open. */
export function Confirm({ title, hint, action, keep, error, onConfirm, onCancel }: Props) {
  const isBusy = useIsPending();
  return (
    <Modal title={title} onLeave={onCancel} isQuestion>
      {hint && <p>{hint}</p>}
      {error != null && <Failure error={error} />}
      <div className="actions">
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
        <Button autoFocus isBusy={isBusy} onClick={onCancel}>
          {keep ?? TEXTS.common.keep}
        </Button>
      </div>
    </Modal>
  );
}
