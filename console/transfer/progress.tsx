interface Props {
  readonly label: string;
  readonly count: number;
  /** Undefined if it is not known. */
  readonly total?: number | undefined;
  readonly text: string;
}

/** How far a transfer is. */
export const Progress = ({ label, count, total, text }: Props) => (
  <div className="progress">
    <progress aria-label={label} max={total} value={total === undefined ? undefined : count} />
    <p className="number" role="status">
      {text}
    </p>
  </div>
);
