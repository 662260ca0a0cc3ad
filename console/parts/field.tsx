import {
  createContext,
  createElement,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly fault?: string | undefined;
}

/** Whether the form around the fields is not to be edited: its API key may not, or what it has is being sent. */
export const IsFixed = createContext(false);

interface FieldProps extends Labelled {
  readonly as: 'input' | 'textarea';
  readonly readOnly?: boolean | undefined;
}

/** An input with its label and its hint, and with its fault for screen readers too. */
function Field({ as, label, hint, fault, readOnly, ...rest }: FieldProps) {
  const id = useId();
  const isFixed = useContext(IsFixed);
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const attributes = {
    id,
    className: 'input',
    readOnly: readOnly || isFixed,
    'aria-invalid': fault !== undefined,
    'aria-describedby': described || undefined,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {createElement(as, { ...rest, ...attributes })}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Fault id={`${id}-fault`}>{fault}</Fault>
    </div>
  );
}

interface FaultProps {
  readonly id?: string;
  readonly children: string | undefined;
}

export const Fault = ({ id, children }: FaultProps) =>
  children && (
    <span className="fault" id={id} role="alert">
      {children}
    </span>
  );

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement>, Labelled {
  readonly ref?: Ref<HTMLInputElement>;
}

export const TextField = (props: TextFieldProps) => (
  <Field as="input" autoComplete="off" {...props} />
);

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement>, Labelled {}

export const TextArea = (props: TextAreaProps) => <Field as="textarea" rows={3} {...props} />;

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
  const isFixed = useContext(IsFixed);
  return (
    <fieldset className="field" disabled={disabled} aria-describedby={fault && `${id}-fault`}>
      <legend>{legend}</legend>
      <div className="choices">
        {choices.map(({ value, label }) => (
          <label className="choice" key={value}>
            <input
              type={several ? 'checkbox' : 'radio'}
              name={id}
              value={value}
              checked={chosen.includes(value)}
              onChange={() => isFixed || onChoose(value)}
            />
            {label}
          </label>
        ))}
      </div>
      <Fault id={`${id}-fault`}>{fault}</Fault>
    </fieldset>
  );
}
