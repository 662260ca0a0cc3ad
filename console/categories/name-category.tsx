import { useState } from 'react';
import type { Category } from '../../sdk/src/index.ts';
import { int64Text, optionalInt64Fault } from '../int64.ts';
import { nameFault } from '../name-fault.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Named } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { useFreeCategory, useSaveCategory } from './queries.ts';

interface Props {
  /** The category to rename, or undefined to name another one. */
  readonly category: Category<string> | undefined;
  readonly onClose: () => void;
}

/** Gives a category a name. Asks before it replaces the name of another category. */
export function NameCategory({ category, onClose }: Props) {
  const done = useDone(onClose);
  const isNew = category === undefined;
  const free = useFreeCategory(isNew);
  const [typedId, setTypedId] = useState<string>();
  const save = useSaveCategory(async () => {
    // The suggestion may be on its way already. Another attempt is about the same number.
    const { data = '' } = await free.refetch({ cancelRefetch: false, throwOnError: true });
    setTypedId(data);
    return data;
  });
  const { data: taken } = save;
  const idText = typedId ?? category?.id ?? free.data ?? '';
  const [name, setName] = useState(category?.name ?? '');
  const [isChecked, setIsChecked] = useState(false);
  const idFault = optionalInt64Fault(idText);
  const put = (id: string | undefined, present?: string) => {
    setTypedId(id);
    const onSuccess = (other: unknown) =>
      other ?? done(<Named text={TEXTS.categories.saved} name={name} />);
    save.mutate({ id, name, present }, { onSuccess });
  };
  const submit = () => {
    setIsChecked(true);
    if (!nameFault(name) && !idFault) put(int64Text(idText), category?.name);
  };
  return (
    <Dialog title={category ? TEXTS.categories.rename : TEXTS.categories.add} onClose={onClose}>
      <Form action={TEXTS.common.save} isBusy={save.isPending} error={save.error} onSubmit={submit}>
        <TextField
          label={TEXTS.common.name}
          dir="auto"
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          fault={isChecked ? nameFault(name) : undefined}
        />
        <TextField
          label={TEXTS.categories.categoryId}
          hint={isNew ? TEXTS.categories.idHint : undefined}
          inputMode="numeric"
          readOnly={!isNew}
          value={idText}
          onChange={(event) => setTypedId(event.target.value)}
          // A suggestion does not join what is typed. An empty field is for it.
          onFocus={() => setTypedId(idText)}
          onBlur={() => setTypedId(idText || undefined)}
          fault={isChecked ? idFault : undefined}
        />
      </Form>
      {taken && (
        <Confirm
          title={
            <Named
              text={(present) => TEXTS.categories.confirmRename(taken.id, present)}
              name={taken.name}
            />
          }
          action={TEXTS.categories.rename}
          keep={TEXTS.categories.keepName}
          onConfirm={() => put(taken.id, taken.name)}
          onCancel={save.reset}
        />
      )}
    </Dialog>
  );
}
