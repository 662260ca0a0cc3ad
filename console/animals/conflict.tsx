import type { Pet } from '../../sdk/src/index.ts';
import { TEXTS } from '../texts.ts';
import type { PetInput } from './queries.ts';

interface Props {
  readonly theirs: Pet<string>;
  readonly mine: PetInput;
}

/** Shows two versions of an animal side by side, and marks where they differ. */
export function Conflict({ theirs, mine }: Props) {
  const statusText = (status: PetInput['status']) => TEXTS.petStatus[status ?? 'unset'];
  const rows = [
    [TEXTS.common.name, theirs.name, mine.name],
    [TEXTS.animals.categoryId, theirs.categoryId, mine.categoryId],
    [TEXTS.animals.status, statusText(theirs.status), statusText(mine.status)],
  ] as const;
  return (
    <>
      <p>{TEXTS.conflict.introduction}</p>
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">{TEXTS.conflict.field}</th>
            <th scope="col">{TEXTS.conflict.theirs}</th>
            <th scope="col">{TEXTS.conflict.mine}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([field, their, my]) => (
            <tr key={field} className={their === my ? undefined : 'differs'}>
              <th scope="row">{field}</th>
              <td>{their}</td>
              <td>{my}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
