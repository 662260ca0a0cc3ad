import { type ReactNode, useId, useRef, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog, LeaveButton } from './dialog.tsx';
import { Choices } from './field.tsx';
import { Form } from './form.tsx';
import { Named } from './named.tsx';

interface Props {
  readonly texts: typeof TEXTS.keys | typeof TEXTS.webhooks;
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows a new secret, with a button that copies it. */
export function NewSecret({ texts: { created }, name, secret, onClose, children }: Props) {
  const output = useRef<HTMLOutputElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isBlocked, setIsBlocked] = useState(false);
  const id = useId();
  const texts = TEXTS.secret;
  /** Pages that are not served over HTTPS have no clipboard: there, the text is selected for the user. */
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setIsCopied(true);
    } catch {
      if (output.current) getSelection()?.selectAllChildren(output.current);
      setIsBlocked(true);
    }
  };
  return (
    <Dialog
      title={<Named text={created} name={name} />}
      onClose={onClose}
      loss={isCopied ? undefined : texts.notCopied}
    >
      <div className="secret">
        <p id={id}>{texts.once}</p>
        {/* The user may also copy it in the browser's own way. */}
        <output ref={output} aria-labelledby={id} onCopy={() => setIsCopied(true)}>
          {secret}
        </output>
        <div className="actions">
          <Button look="primary" autoFocus onClick={() => void copy()}>
            {isCopied ? texts.copied : texts.copy}
          </Button>
        </div>
        <p role="status">
          {isCopied && <span className="visually-hidden">{texts.copied}</span>}
          {isBlocked && !isCopied && texts.copyYourself}
        </p>
      </div>
      {children}
      <div className="actions">
        <LeaveButton>{texts.done}</LeaveButton>
      </div>
    </Dialog>
  );
}

interface RotateProps extends Omit<Props, 'secret'> {
  readonly rotate: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (graceSeconds: number) => void;
  };
  /** The new one. */
  readonly secret: string | undefined;
}

const DEFAULT_GRACE = '86400';

/** Asks how long the old secret still works, replaces it, and shows the new one. */
export function Rotate({ rotate, secret, ...props }: RotateProps) {
  const [grace, setGrace] = useState(DEFAULT_GRACE);
  const { texts, name, onClose } = props;
  if (secret !== undefined) return <NewSecret {...props} secret={secret} />;
  return (
    <Dialog title={<Named text={texts.rotateTitle} name={name} />} onClose={onClose}>
      <Form
        action={TEXTS.secret.rotate}
        autoFocus
        isBusy={rotate.isPending}
        error={rotate.error}
        onSubmit={() => rotate.mutate(Number(grace))}
      >
        <p>{texts.rotateHint}</p>
        <Choices
          legend={texts.grace}
          choices={TEXTS.secret.graceChoices.map(([value, label]) => ({ value, label }))}
          chosen={[grace]}
          onChoose={setGrace}
        />
      </Form>
    </Dialog>
  );
}
