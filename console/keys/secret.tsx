import { useId, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { TEXTS } from '../texts.ts';

interface Props {
  readonly secret: string;
  /** Called when the user has copied it, by the button or in the browser's own way. */
  readonly onCopied: () => void;
}

/** A new API key, with a button that copies it. */
export function Secret({ secret, onCopied }: Props) {
  const output = useRef<HTMLOutputElement>(null);
  const [result, setResult] = useState<'copied' | 'selected'>();
  const id = useId();
  const copy = async () => {
    const isCopied = await copyText(secret, output.current);
    setResult(isCopied ? 'copied' : 'selected');
    if (isCopied) onCopied();
  };
  return (
    <div className="secret">
      <p id={id}>{TEXTS.keys.once}</p>
      <output ref={output} aria-labelledby={id} onCopy={onCopied}>
        {secret}
      </output>
      <div className="actions">
        <Button look="primary" autoFocus onClick={() => void copy()}>
          {result === 'copied' ? TEXTS.keys.copied : TEXTS.keys.copy}
        </Button>
      </div>
      <p role="status">
        {result === 'selected' && TEXTS.keys.copyYourself}
        {result === 'copied' && <span className="visually-hidden">{TEXTS.keys.copied}</span>}
      </p>
    </div>
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
