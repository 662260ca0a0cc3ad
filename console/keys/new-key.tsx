import { useId, useRef, useState } from 'react';
import type { IssuedApiKey } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';

interface Props {
  readonly issued: IssuedApiKey<string>;
  readonly onClose: () => void;
}

/** Shows a new API key, with a button that copies it. */
export function NewKey({ issued: { name, key }, onClose }: Props) {
  const output = useRef<HTMLOutputElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isBlocked, setIsBlocked] = useState(false);
  const id = useId();
  const texts = TEXTS.keys;
  const copy = async () => {
    if (await copyText(key, output.current)) setIsCopied(true);
    else setIsBlocked(true);
  };
  return (
    <Dialog
      title={<Named text={texts.created} name={name} />}
      onClose={onClose}
      loss={isCopied ? undefined : texts.notCopied}
    >
      <div className="secret">
        <p id={id}>{texts.once}</p>
        {/* The user may also copy it in the browser's own way. */}
        <output ref={output} aria-labelledby={id} onCopy={() => setIsCopied(true)}>
          {key}
        </output>
        <div className="actions">
          <Button look="primary" autoFocus onClick={() => void copy()}>
            {isCopied ? texts.copied : texts.copy}
          </Button>
        </div>
        <p role="status">
          {isCopied ? (
            <span className="visually-hidden">{texts.copied}</span>
          ) : (
            isBlocked && texts.copyYourself
          )}
        </p>
      </div>
      <div className="actions">
        <LeaveButton>{texts.done}</LeaveButton>
      </div>
    </Dialog>
  );
}

/** Copies a text. Pages that are not served over HTTPS have no clipboard: there, the text is selected for the user. */
async function copyText(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown !== null) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
