interface Props {
  readonly label: string;
  readonly count: number;
  readonly total?: number | undefined;
  readonly text: string;
}

export const Progress = ({ label, count, total, text }: Props) => (
  <div className="progress">
    <progress aria-label={label} max={total} value={total === undefined ? undefined : count} />
    <p className="number" role="status">
      {text}
    </p>
  </div>
);
