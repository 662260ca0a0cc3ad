import { formatNumber, formatUtcDay } from '../format.ts';
import { TEXTS } from '../texts.ts';

export interface Day {
  readonly date: string;
  readonly calls: number;
}

const WIDTH = 720;
const HEIGHT = 216;
/** The room for the figures at the top and for the dates at the foot: they are larger in a narrow window. */
const MARGIN = { top: 32, bottom: 36 };
const GAP = 6;

/** A bar for each day. Screen readers get the table below it instead. */
export function Plot({ days }: { readonly days: readonly Day[] }) {
  const highest = Math.max(1, ...days.map(({ calls }) => calls));
  const step = WIDTH / days.length;
  const foot = HEIGHT - MARGIN.bottom;
  const scale = (foot - MARGIN.top) / highest;
  const first = days[0];
  const last = days.at(-1);
  const top = days.findIndex(({ calls }) => calls === highest);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {days.map(({ date, calls }, index) => (
        <rect
          key={date}
          className="bar"
          x={index * step + GAP / 2}
          width={step - GAP}
          y={foot - barHeight(calls, scale)}
          height={barHeight(calls, scale)}
          rx="3"
        >
          <title>{`${formatUtcDay(date)}: ${formatNumber(calls)}`}</title>
        </rect>
      ))}
      <line className="axis" x1="0" x2={WIDTH} y1={foot} y2={foot} />
      {top >= 0 && (
        <text x={labelPosition((top + 0.5) * step)} y={MARGIN.top - 8} textAnchor="middle">
          {formatNumber(highest)}
        </text>
      )}
      {first && (
        <text x="0" y={HEIGHT - 8}>
          {formatUtcDay(first.date)}
        </text>
      )}
      {last && (
        <text x={WIDTH} y={HEIGHT - 8} textAnchor="end">
          {formatUtcDay(last.date)}
        </text>
      )}
    </svg>
  );
}

/** A day with few calls still shows. */
const barHeight = (calls: number, scale: number): number =>
  calls === 0 ? 0 : Math.max(2, calls * scale);

/** Keeps a centred figure within the plot. */
const labelPosition = (x: number): number => Math.min(Math.max(x, 30), WIDTH - 30);

/** The same figures as a table. */
export function PlotTable({ days }: { readonly days: readonly Day[] }) {
  return (
    <details>
      <summary>{TEXTS.usage.asTable}</summary>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{TEXTS.usage.day}</th>
            <th scope="col" className="end">
              {TEXTS.usage.total}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ date, calls }) => (
            <tr key={date}>
              <td>{formatUtcDay(date)}</td>
              <td className="number end">{formatNumber(calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
