import { type FormEvent, useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { useKeepFocus } from '../parts/keep-focus.ts';
import { Name } from '../parts/named.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { type BulkChange, type Refused, useChangeMany } from './bulk-queries.ts';

/** The statuses that several animals get at once. They are sold one by one, so that each has an order. */
const STATUSES = ['available', 'pending'] as const;

interface Props {
  readonly selected: readonly Pet<string>[];
  /** The animals that the list shows. */
  readonly shown: readonly Pet<string>[];
  readonly onSelect: (pets: readonly Pet<string>[]) => void;
}

/** What can be done with the selected animals at once. Those with which it fails stay selected, and are named. */
export function Selection({ selected, shown, onSelect }: Props) {
  const announce = useAnnounce();
  const change = useChangeMany();
  const keeper = useKeepFocus<HTMLElement>();
  const [asked, setAsked] = useState<'category' | 'delete'>();
  const texts = TEXTS.animals.bulk;
  const count = selected.length;
  const run = (wanted: BulkChange) => {
    setAsked(undefined);
    const onSuccess = (refused: Refused[]) => {
      const changed = formatNumber(count - refused.length);
      announce(wanted.kind === 'delete' ? texts.deleted(changed) : texts.changed(changed));
      onSelect(refused.map(({ pet }) => pet));
    };
    change.mutate({ pets: selected, change: wanted }, { onSuccess });
  };
  const isBusy = change.isPending;
  const isAll = shown.every(({ id }) => selected.some((pet) => pet.id === id));
  return (
    <section {...keeper} className="selection" aria-label={texts.title}>
      {change.data && (
        <NotChanged refused={change.data.filter(({ pet }) => selected.includes(pet))} />
      )}
      <div className="actions">
        <p className="number" role="status">
          {isBusy
            ? texts.progress(formatNumber(change.done), formatNumber(count))
            : texts.selected(formatNumber(count))}
        </p>
        {STATUSES.map((status) => (
          <Button
            small
            key={status}
            isBusy={isBusy}
            onClick={() => run({ kind: 'patch', patch: { status } })}
          >
            {texts.set(TEXTS.petStatus[status])}
          </Button>
        ))}
        <Button small isBusy={isBusy} onClick={() => setAsked('category')}>
          {texts.category}
        </Button>
        <Button small look="danger" isBusy={isBusy} onClick={() => setAsked('delete')}>
          {TEXTS.common.delete}
        </Button>
        <span className="last actions">
          {!isAll && (
            <Button small look="quiet" isBusy={isBusy} onClick={() => onSelect(shown)}>
              {texts.all}
            </Button>
          )}
          <Button small look="quiet" isBusy={isBusy} onClick={() => onSelect([])}>
            {texts.none}
          </Button>
        </span>
      </div>
      {asked === 'category' && (
        <ChooseCategory
          title={texts.categoryOf(formatNumber(count))}
          onChoose={(categoryId) => run({ kind: 'patch', patch: { categoryId } })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'delete' && (
        <Confirm
          title={texts.confirmDelete(formatNumber(count))}
          action={TEXTS.common.delete}
          keep={texts.keep}
          onConfirm={() => run({ kind: 'delete' })}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

function NotChanged({ refused }: { readonly refused: readonly Refused[] }) {
  if (refused.length === 0) return null;
  return (
    <div className="notice bad" role="alert">
      <strong>{TEXTS.animals.bulk.failed}</strong>
      <ul>
        {refused.map(({ pet, reason }) => (
          <li key={pet.id}>
            <Name>{pet.name}</Name>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ChooseProps {
  readonly title: string;
  readonly onChoose: (categoryId: string) => void;
  readonly onClose: () => void;
}

function ChooseCategory({ title, onChoose, onClose }: ChooseProps) {
  const [text, setText] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { id, fault } = useCategoryLookup().find(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (id !== undefined) onChoose(id);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <CategoryField
          autoFocus
          value={text}
          onChange={setText}
          fault={isChecked ? fault : undefined}
        />
        <div className="actions">
          <Button look="primary" type="submit">
            {TEXTS.common.save}
          </Button>
          <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
        </div>
      </form>
    </Dialog>
  );
}
