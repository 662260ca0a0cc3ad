import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly ref?: Ref<HTMLInputElement>;
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly fault?: string | undefined;
}

/** A labelled text input with a hint, and with its fault for screen readers too. */
export function TextField({ label, hint, fault, ...rest }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        autoComplete="off"
        {...rest}
        id={id}
        className="input"
        aria-invalid={fault !== undefined}
        aria-describedby={described || undefined}
      />
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault && (
        <span className="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}

interface Choice {
  readonly value: string;
  readonly label: ReactNode;
}

interface ChoicesProps {
  readonly legend: string;
  readonly hideLegend?: boolean;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  /** Several can be chosen. */
  readonly several?: boolean;
  readonly disabled?: boolean | undefined;
  readonly fault?: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** A group of radio buttons, or of checkboxes. */
export function Choices(props: ChoicesProps) {
  const { legend, hideLegend, choices, chosen, several, disabled, fault, onChoose } = props;
  const id = useId();
  return (
    <fieldset
      className="field"
      disabled={disabled}
      aria-describedby={fault === undefined ? undefined : `${id}-fault`}
    >
      <legend className={hideLegend ? 'visually-hidden' : undefined}>{legend}</legend>
      <div className="choices">
        {choices.map(({ value, label }) => (
          <label className="choice" key={value}>
            <input
              type={several ? 'checkbox' : 'radio'}
              name={id}
              value={value}
              checked={chosen.includes(value)}
              onChange={() => onChoose(value)}
            />
            {label}
          </label>
        ))}
      </div>
      {fault && (
        <span className="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </fieldset>
  );
}
