import { useId } from 'react';
import { TEXTS } from '../texts.ts';

interface Props {
  readonly onChoose: (file: File) => void;
}

/** A field for a file, which can also be dropped on it: browsers do so themselves. */
export function ChooseFile({ onChoose }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{TEXTS.transfer.choose}</label>
      <input
        id={id}
        className="drop"
        type="file"
        // biome-ignore lint/a11y/noAutofocus: the dialog is about this field alone
        autoFocus
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json"
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onChoose(file);
        }}
      />
      <span className="hint" id={`${id}-hint`}>
        {TEXTS.transfer.chooseHint}
      </span>
    </div>
  );
}
