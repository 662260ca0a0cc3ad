import { type KeyboardEvent, useState } from 'react';
import { formatNumber, formatUtcDay } from '../format.ts';
import { TEXTS } from '../texts.ts';
import { Table } from './table.tsx';

export interface Day {
  /** Such as `2027-01-31`. */
  readonly date: string;
  readonly count: number;
  readonly href?: string;
}

interface Props {
  readonly days: readonly Day[];
  readonly label: string;
}

const WIDTH = 720;
const HEIGHT = 216;
/** The room for the figures at the top and the dates at the foot. Both are larger in a narrow window. */
const MARGIN = { top: 32, bottom: 36 };
const GAP = 6;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** A bar for each day, and the same figures as a table. The pointer, or the arrow keys, choose the day whose figure is shown. */
export function Plot({ days, label }: Props) {
  const highest = Math.max(1, ...days.map(({ count }) => count));
  const [chosen, setChosen] = useState<number>();
  const top = days.findIndex(({ count }) => count === highest);
  const shown = days[chosen ?? top];
  const step = WIDTH / days.length;
  const foot = HEIGHT - MARGIN.bottom;
  const scale = (foot - MARGIN.top) / highest;
  const last = days.length - 1;
  const move = (event: KeyboardEvent<SVGSVGElement>) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max((chosen ?? last) + by, 0), last);
    event.currentTarget.querySelectorAll<SVGElement>('.day')[next]?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <svg
        className="plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={label}
        onKeyDown={move}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
      >
        {days.map(({ date, count, href }, index) => (
          <a
            key={date}
            className="day"
            href={href}
            role={href === undefined ? 'img' : undefined}
            aria-label={`${formatUtcDay(date)}: ${formatNumber(count)}`}
            tabIndex={index === (chosen ?? last) ? 0 : -1}
            onFocus={() => setChosen(index)}
            onPointerEnter={() => setChosen(index)}
          >
            <rect className="reach" x={index * step} width={step} height={foot} />
            <rect
              className="bar"
              x={index * step + GAP / 2}
              width={step - GAP}
              y={foot - barHeight(count, scale)}
              height={barHeight(count, scale)}
              rx="3"
            />
          </a>
        ))}
        <line className="axis" x1="0" x2={WIDTH} y1={foot} y2={foot} />
        {shown && (
          <text
            textAnchor="middle"
            {...placeOf((days.indexOf(shown) + 0.5) * step, chosen !== undefined)}
            y={foot - barHeight(shown.count, scale) - 8}
          >
            {chosen !== undefined && `${formatUtcDay(shown.date)}: `}
            {formatNumber(shown.count)}
          </text>
        )}
        {[days[0], days[last]].map((day, index) => (
          <text
            // biome-ignore lint/suspicious/noArrayIndexKey: the two ends of the axis
            key={index}
            x={index * WIDTH}
            y={HEIGHT - 8}
            textAnchor={index === 0 ? 'start' : 'end'}
          >
            {day && formatUtcDay(day.date)}
          </text>
        ))}
      </svg>
      <details>
        <summary>{TEXTS.common.asTable}</summary>
        <Table
          label={label}
          items={days}
          keyOf={({ date }) => date}
          columns={[
            { title: TEXTS.common.day, cell: ({ date }) => formatUtcDay(date) },
            {
              title: label,
              look: 'number',
              end: true,
              cell: ({ count, href }) =>
                href ? <a href={href}>{formatNumber(count)}</a> : formatNumber(count),
            },
          ]}
        />
      </details>
    </>
  );
}

/** A day with a small count still shows. */
const barHeight = (count: number, scale: number): number =>
  count === 0 ? 0 : Math.max(2, count * scale);

/** Keeps a figure, perhaps with its day, within the plot. */
const placeOf = (x: number, isLong: boolean) => {
  const room = isLong ? 150 : 30;
  return { x: Math.min(Math.max(x, room), WIDTH - room) };
};
