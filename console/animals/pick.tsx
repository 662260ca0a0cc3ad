interface Props {
  readonly label: string;
  readonly isPicked: boolean;
  /** Some of what it stands for is picked. */
  readonly isPart?: boolean;
  /** A click with Shift picks a range. */
  readonly onPick: (isRange: boolean) => void;
}

/** A checkbox that selects its row, or all rows. */
export const Pick = ({ label, isPicked, isPart = false, onPick }: Props) => (
  <label>
    <input
      type="checkbox"
      aria-label={label}
      checked={isPicked}
      ref={(input) => {
        if (input) input.indeterminate = isPart;
      }}
      onChange={({ nativeEvent }) => onPick((nativeEvent as MouseEvent).shiftKey)}
    />
  </label>
);
