import { useId, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { TEXTS } from '../texts.ts';

/** A new API key, with a button that copies it. */
export function Secret({ secret }: { readonly secret: string }) {
  const output = useRef<HTMLOutputElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const id = useId();
  const copy = async () => {
    setIsCopied(await copyText(secret, output.current));
  };
  return (
    <div className="secret">
      <p id={id}>{TEXTS.keys.once}</p>
      <output ref={output} aria-labelledby={id}>
        {secret}
      </output>
      <div className="actions" role="status">
        <Button look="primary" onClick={() => void copy()}>
          {isCopied ? TEXTS.keys.copied : TEXTS.keys.copy}
        </Button>
      </div>
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
