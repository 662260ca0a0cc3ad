import {
  type ComponentProps,
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

/** Leaves the dialog around it as Escape does, and then does something else than to close it. */
const LeaveContext = createContext((go = () => {}) => go());

/** A dialog. Before it is closed with edits in a form, it asks. */
export function Dialog({ title, onClose, loss, saved = 0, children }: Props) {
  /** How often the edits were saved when the user last made one. */
  const [editedAfter, setEditedAfter] = useState<number>();
  /** What the user asks for before they have answered. */
  const [asked, setAsked] = useState<{ readonly go: () => void }>();
  const lost: Question | undefined = loss ?? (editedAfter === saved ? TEXTS.discard : undefined);
  useAskBeforeUnload(useIsPending() || lost !== undefined);
  const leave = (go = onClose) => (lost === undefined ? go() : setAsked({ go }));
  const notice = ({ target }: FormEvent) => {
    if ((target as Element).closest('form') !== null) setEditedAfter(saved);
  };
  return (
    <>
      <Modal title={title} onLeave={() => leave()}>
        <LeaveContext value={leave}>
          <div className="inside" onChange={notice}>
            {children}
          </div>
        </LeaveContext>
      </Modal>
      {asked && lost !== undefined && (
        <Confirm {...lost} onConfirm={asked.go} onCancel={() => setAsked(undefined)} />
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

interface LeaveProps extends ComponentProps<typeof Button> {
  /** What it does instead of closing the dialog. */
  readonly onGo?: () => void;
}

/** A button that leaves the dialog around it as Escape does. */
export function LeaveButton({ onGo, ...button }: LeaveProps) {
  const leave = useContext(LeaveContext);
  return <Button {...button} isBusy={useIsPending()} onClick={() => leave(onGo)} />;
}
