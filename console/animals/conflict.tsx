import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Gone } from '../parts/notices.tsx';
import { TEXTS } from '../texts.ts';
import type { Edited } from './animal-editor.tsx';
import { FIELDS } from './fields.tsx';
import { type Choice, compareChanges, type FieldChange, mergeChanges } from './merge.ts';
import type { PetInput, PetVersion } from './queries.ts';

/** Changes of the user that were made in an older version of the animal. */
export interface Changes {
  readonly base: PetInput;
  readonly mine: PetInput;
  readonly theirs: PetVersion;
}

/** Shows what the user and a colleague have changed, side by side. The user decides about fields that both changed. */
export function Conflict(props: Changes & Edited) {
  const { base, mine, theirs, isGone, isSaving, failure, onSave, onClose } = props;
  const [choice, setChoice] = useState<Choice>({});
  const [isChecked, setIsChecked] = useState(false);
  const changes = compareChanges(base, theirs.pet, mine);
  const isOpen = changes.some(({ field, isConflict }) => isConflict && choice[field] === undefined);
  const asked = changes.find(({ isConflict }) => isConflict)?.field;
  const kept = keptOf(changes, choice);
  const action = isGone && kept !== 'theirs' ? TEXTS.animals.addAgain : SAVES[kept];
  const save = () => {
    if (kept === 'theirs') return onClose();
    setIsChecked(true);
    if (!isOpen) onSave(theirs, mergeChanges(base, theirs.pet, mine, choice));
  };
  const row = ({ field, isMine, isTheirs, isConflict }: FieldChange) => {
    const chosen = choice[field];
    const winner = isConflict ? chosen : isMine ? 'mine' : 'theirs';
    const cell = (side: 'theirs' | 'mine', isChanged: boolean, value: ReactNode) => (
      <td className={winner === side && (isMine || isTheirs) ? 'wins' : undefined}>
        {isConflict ? (
          <label className="pick">
            <input
              type="radio"
              name={field}
              checked={chosen === side}
              ref={field === asked && side === 'theirs' ? takeFocus : undefined}
              onChange={() => setChoice({ ...choice, [field]: side })}
              aria-label={`${FIELDS[field].label}: ${TEXTS.conflict[side]}`}
            />
            <span>{value}</span>
          </label>
        ) : (
          value
        )}
        {isChanged && <small>{TEXTS.conflict.changed}</small>}
      </td>
    );
    const own = isMine ? (
      FIELDS[field].show(mine)
    ) : (
      <span className="muted">{TEXTS.conflict.unchanged}</span>
    );
    return (
      <tr key={field}>
        <th scope="row">{FIELDS[field].label}</th>
        {cell('theirs', isTheirs, FIELDS[field].show(theirs.pet))}
        {cell('mine', isMine, own)}
      </tr>
    );
  };
  return (
    <Dialog title={TEXTS.conflict.title} onClose={onClose} loss={TEXTS.discard}>
      {isGone ? <Gone>{TEXTS.animals.goneEdited}</Gone> : <p>{TEXTS.conflict.introduction}</p>}
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">{TEXTS.conflict.field}</th>
            <th scope="col">{TEXTS.conflict.theirs}</th>
            <th scope="col">{TEXTS.conflict.mine}</th>
          </tr>
        </thead>
        <tbody>{changes.map(row)}</tbody>
      </table>
      {isChecked && isOpen && (
        <p className="notice bad" role="alert">
          {TEXTS.conflict.choose}
        </p>
      )}
      {failure != null && <Failure error={failure} />}
      <div className="actions">
        <Button look="primary" autoFocus={asked === undefined} isBusy={isSaving} onClick={save}>
          {isSaving ? TEXTS.common.saving : action}
        </Button>
        {kept !== 'theirs' && (
          <Button isBusy={isSaving} onClick={onClose}>
            {TEXTS.conflict.keepTheirs}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** The dialog begins where the user has to decide. */
const takeFocus = (field: HTMLElement | null) => field?.focus();

const SAVES = {
  mine: TEXTS.conflict.saveMine,
  theirs: TEXTS.conflict.keepTheirs,
  both: TEXTS.conflict.saveBoth,
} as const;

/** Whose changes the user has chosen. Until then, it is the user's own. */
function keptOf(changes: readonly FieldChange[], choice: Choice): keyof typeof SAVES {
  const own = changes.filter(({ isMine }) => isMine);
  const left = own.filter(({ field }) => choice[field] === 'theirs');
  if (left.length === 0) return 'mine';
  return left.length === own.length ? 'theirs' : 'both';
}
