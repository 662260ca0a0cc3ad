import { Name } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';
import { useCategory } from './queries.ts';

interface Props {
  readonly id: string;
  readonly withNumber?: boolean;
}

/** The name of a category, or its number if it has no name. */
export function CategoryName({ id, withNumber }: Props) {
  const name = useCategory(id)?.name;
  if (name === undefined) return <span className="muted line">{TEXTS.categories.unnamed(id)}</span>;
  return (
    <>
      <Name>{name}</Name>
      {withNumber && <span className="muted"> {id}</span>}
    </>
  );
}
