import { useState } from 'react';
import type { Category } from '../../sdk/src/index.ts';
import { hasCode } from '../failures.ts';
import { int64Fault, int64Text } from '../int64.ts';
import { nameFault } from '../name-fault.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Named } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { useFindCategory, useFreeCategory, useSaveCategory } from './queries.ts';

const isTaken = (error: unknown): boolean => hasCode(error, 'precondition_failed');

interface Props {
  /** The category to rename, or undefined to name another one. */
  readonly category: Category<string> | undefined;
  readonly onClose: () => void;
}

/** Gives a category a name. Asks before it replaces the name of another category. */
export function NameCategory({ category, onClose }: Props) {
  const done = useDone(onClose);
  const find = useFindCategory();
  const save = useSaveCategory();
  const isNew = category === undefined;
  const free = useFreeCategory(isNew);
  const [typedId, setTypedId] = useState<string>();
  const idText = typedId ?? category?.id ?? free.data ?? '';
  const [name, setName] = useState(category?.name ?? '');
  const [isChecked, setIsChecked] = useState(false);
  const [taken, setTaken] = useState<Category<string>>();
  const isBusy = find.isPending || save.isPending;
  const isAsked = isTaken(save.error) && find.data !== null;
  const error = find.error ?? (isAsked ? undefined : save.error);
  const onSuccess = () => done(<Named text={TEXTS.categories.saved} name={name} />);
  const put = (id: string, present: string) => save.mutate({ id, name, present }, { onSuccess });
  const create = (id: string) => {
    const onFound = (found: Category<string> | null) =>
      // An attempt without a response has saved the name.
      found?.name === name ? onSuccess() : setTaken(found ?? undefined);
    const onError = (failure: unknown) =>
      isTaken(failure) && find.mutate(id, { onSuccess: onFound });
    save.mutate({ id, name }, { onSuccess, onError });
  };
  /** A user who types fast does not wait for the suggestion. */
  const suggestedId = async () =>
    isNew && typedId === undefined
      ? (await free.refetch({ cancelRefetch: false })).data
      : undefined;
  const submit = async () => {
    const id = int64Text(idText) ?? (await suggestedId()) ?? undefined;
    setIsChecked(true);
    if (id === undefined || nameFault(name)) return;
    if (isNew) create(id);
    else put(id, category.name);
  };
  return (
    <Dialog title={category ? TEXTS.categories.rename : TEXTS.categories.add} onClose={onClose}>
      <Form action={TEXTS.common.save} isBusy={isBusy} error={error} onSubmit={submit}>
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
          fault={isChecked ? int64Fault(idText) : undefined}
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
          error={error}
          onConfirm={() => put(taken.id, taken.name)}
          onCancel={() => setTaken(undefined)}
        />
      )}
    </Dialog>
  );
}
