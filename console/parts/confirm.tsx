import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './notices.tsx';

interface Props {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  readonly task: { readonly isPending: boolean; readonly error: unknown };
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, action, task, onConfirm, onCancel }: Props) {
  return (
    <Dialog title={title} onClose={onCancel}>
      {task.error != null && <Failure error={task.error} />}
      <div className="actions">
        <Button look="danger" isBusy={task.isPending} onClick={onConfirm}>
          {action}
        </Button>
        <Button autoFocus onClick={onCancel}>
          {TEXTS.common.keep}
        </Button>
      </div>
    </Dialog>
  );
}
