import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly fault?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly children: (attributes: {
    readonly id: string;
    readonly className: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** An input with its label and its hint, and with its fault for screen readers too. */
function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'input',
        'aria-invalid': fault !== undefined,
        'aria-describedby': described || undefined,
      })}
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

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement>, Labelled {
  readonly ref?: Ref<HTMLInputElement>;
}

export const TextField = ({ label, hint, fault, ...rest }: TextFieldProps) => (
  <Field {...{ label, hint, fault }}>
    {(attributes) => <input autoComplete="off" {...rest} {...attributes} />}
  </Field>
);

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement>, Labelled {}

export const TextArea = ({ label, hint, fault, ...rest }: TextAreaProps) => (
  <Field {...{ label, hint, fault }}>
    {(attributes) => <textarea rows={3} {...rest} {...attributes} />}
  </Field>
);

interface Choice {
  readonly value: string;
  readonly label: ReactNode;
}

interface ChoicesProps {
  readonly legend: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly several?: boolean;
  readonly disabled?: boolean | undefined;
  readonly fault?: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** A group of radio buttons, or of checkboxes. */
export function Choices(props: ChoicesProps) {
  const { legend, choices, chosen, several, disabled, fault, onChoose } = props;
  const id = useId();
  return (
    <fieldset
      className="field"
      disabled={disabled}
      aria-describedby={fault === undefined ? undefined : `${id}-fault`}
    >
      <legend>{legend}</legend>
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
