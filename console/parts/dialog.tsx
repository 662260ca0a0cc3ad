import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useState,
} from 'react';
import { useIsPending } from '../pending.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Confirm, type Question } from './confirm.tsx';
import { Modal } from './modal.tsx';

interface Props {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** What is lost by closing now, apart from the edits of a form, which the dialog notices itself. */
  readonly loss?: Question | undefined;
  /** It changes when the edits are saved and the dialog stays open. */
  readonly saved?: number;
  readonly children: ReactNode;
}

const LeaveContext = createContext(() => {});

/** A dialog. Before it is closed with edits in a form, it asks. */
export function Dialog({ title, onClose, loss, saved = 0, children }: Props) {
  /** How often the edits were saved when the user last made one. */
  const [editedAfter, setEditedAfter] = useState<number>();
  const [isAsking, setIsAsking] = useState(false);
  const lost: Question | undefined = loss ?? (editedAfter === saved ? TEXTS.discard : undefined);
  useAskBeforeUnload(useIsPending() || lost !== undefined);
  const leave = () => (lost === undefined ? onClose() : setIsAsking(true));
  const notice = ({ target }: FormEvent) => {
    if ((target as Element).closest('form') !== null) setEditedAfter(saved);
  };
  return (
    <>
      <Modal title={title} onLeave={leave}>
        <LeaveContext value={leave}>
          <div className="inside" onChange={notice}>
            {children}
          </div>
        </LeaveContext>
      </Modal>
      {isAsking && lost !== undefined && (
        <Confirm {...lost} onConfirm={onClose} onCancel={() => setIsAsking(false)} />
      )}
    </>
  );
}

/** The browser asks before it closes or loads the page again. It has its own words. */
export function useAskBeforeUnload(isLossy: boolean): void {
  useEffect(() => {
    if (!isLossy) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isLossy]);
}

/** A button that closes the dialog around it as Escape does. */
export function LeaveButton({ children }: { readonly children: ReactNode }) {
  const leave = useContext(LeaveContext);
  return (
    <Button isBusy={useIsPending()} onClick={leave}>
      {children}
    </Button>
  );
}
