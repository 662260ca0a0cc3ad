import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly introduction?: ReactNode;
  readonly children?: ReactNode;
}

/** The heading of a screen, with its main action. */
export const Heading = ({ title, introduction, children }: Props) => (
  <div className="heading">
    <div>
      <h1>{title}</h1>
      {introduction && <p>{introduction}</p>}
    </div>
    {children}
  </div>
);
