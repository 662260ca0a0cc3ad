import { type FormEvent, useState } from 'react';
import type { Category } from '../../sdk/src/index.ts';
import { int64Fault, int64Text } from '../int64.ts';
import { nameFault } from '../name-fault.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { useSaveCategory } from './queries.ts';

interface Props {
  /** The category to rename, or undefined to name another one. */
  readonly category: Category<string> | undefined;
  readonly onClose: () => void;
}

/** Gives a category a name. */
export function NameCategory({ category, onClose }: Props) {
  const announce = useAnnounce();
  const save = useSaveCategory();
  const [idText, setIdText] = useState(category?.id ?? '');
  const [name, setName] = useState(category?.name ?? '');
  const [isChecked, setIsChecked] = useState(false);
  const id = int64Text(idText);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (id === undefined || nameFault(name) !== undefined) return;
    const onSuccess = () => {
      announce(TEXTS.categories.saved(name));
      onClose();
    };
    save.mutate({ id, name }, { onSuccess });
  };
  return (
    <Dialog title={category ? TEXTS.categories.rename : TEXTS.categories.add} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <TextField
          label={TEXTS.animals.categoryId}
          inputMode="numeric"
          autoFocus={category === undefined}
          readOnly={category !== undefined}
          value={idText}
          onChange={(event) => setIdText(event.target.value)}
          fault={isChecked ? int64Fault(idText) : undefined}
        />
        <TextField
          label={TEXTS.common.name}
          autoFocus={category !== undefined}
          value={name}
          onChange={(event) => setName(event.target.value)}
          fault={isChecked ? nameFault(name) : undefined}
        />
        {save.error && <Failure error={save.error} />}
        <div className="actions">
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {save.isPending ? TEXTS.common.saving : TEXTS.common.save}
          </Button>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
