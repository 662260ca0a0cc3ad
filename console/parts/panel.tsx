import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Failure, Loading } from './notices.tsx';

interface Props<Data> {
  readonly title: string;
  readonly result: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** A part of the screen that loads and fails on its own. */
export function Panel<Data>({ title, result, children }: Props<Data>) {
  const id = useId();
  const { data, error, refetch } = result;
  return (
    <section className="card panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {error && <Failure error={error} onRetry={refetch} />}
      {data === undefined ? !error && <Loading /> : children(data)}
    </section>
  );
}

interface FiguresProps {
  readonly figures: readonly {
    readonly label: string;
    readonly count: string;
    readonly href: string;
  }[];
}

/** Numbers that lead to what they count. */
export const Figures = ({ figures }: FiguresProps) => (
  <ul className="figures">
    {figures.map(({ label, count, href }) => (
      <li key={label}>
        <a href={href}>
          <strong className="number">{count}</strong> {label}
        </a>
      </li>
    ))}
  </ul>
);
