import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { useKeepFocus } from '../parts/keep-focus.ts';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type BulkChange, useChangeMany } from './change-many.ts';
import { type PetQuery, petPages } from './queries.ts';
import { Failures, useUndoMany } from './undo-many.tsx';

/** The statuses that several animals get at once. They are sold one by one, so that each has an order. */
const STATUSES = ['available', 'pending'] as const;

/** What is selected: animals of the page, or all that match. */
export interface Selected {
  readonly pets: readonly Pet<string>[];
  readonly isAll: boolean;
}

interface Props {
  readonly selected: Selected;
  /** The animals that the list shows. */
  readonly shown: readonly Pet<string>[];
  /** Other pages have more. */
  readonly hasMore: boolean;
  /** What the list is asked for. */
  readonly query: Omit<PetQuery, 'cursor'> | undefined;
  /** How many match on all pages. Undefined if it is not known. */
  readonly count: number | undefined;
  readonly onSelect: (selected: Selected) => void;
}

/** What can be done with the selected animals at once. Those with which it fails stay selected, and are named. */
export function Selection(props: Props) {
  const { selected: chosen, shown, hasMore, query, count, onSelect } = props;
  const { pets, isAll } = chosen;
  const { store } = useSession();
  const announce = useAnnounce();
  const change = useChangeMany();
  const undo = useUndoMany();
  const keeper = useKeepFocus<HTMLElement>();
  const [asked, setAsked] = useState<'category' | 'delete'>();
  const texts = TEXTS.animals.bulk;
  const matching = count === undefined ? '' : formatNumber(count);
  const selected = isAll ? matching : formatNumber(pets.length);
  const select = (some: readonly Pet<string>[]) => onSelect({ pets: some, isAll: false });
  const find = async (signal: AbortSignal) =>
    isAll && query ? (await Array.fromAsync(petPages(store, query, signal))).flat() : pets;
  const run = (wanted: BulkChange) => {
    setAsked(undefined);
    change.mutate(
      { find, change: wanted },
      {
        onSuccess: ({ done, failed, left }) => {
          const changes = done.filter((one) => one !== undefined);
          const text = wanted.kind === 'delete' ? texts.deleted : texts.changed;
          const action = { label: TEXTS.animals.undo, onAct: () => undo.mutate(changes) };
          announce(text(formatNumber(done.length)), changes.length > 0 ? action : undefined);
          select([...failed.map(({ item }) => item), ...left]);
        },
      },
    );
  };
  const isBusy = change.isPending;
  const isPage = shown.every(({ id }) => pets.some((pet) => pet.id === id));
  const progress =
    change.total === undefined
      ? texts.finding
      : texts.progress(formatNumber(change.tried), formatNumber(change.total));
  return (
    <section {...keeper} className="selection" aria-label={texts.title}>
      {change.error && <Failure error={change.error} />}
      {change.data && (
        <Failures
          title={texts.failed}
          failed={change.data.failed.map(({ item, reason }) => ({ item, reason }))}
        />
      )}
      <div className="actions">
        <p className="number" role="status">
          {isBusy ? progress : texts.selected(selected)}
        </p>
        {isBusy ? (
          <Button small onClick={change.stop}>
            {texts.stop}
          </Button>
        ) : (
          <>
            {STATUSES.map((status) => (
              <Button small key={status} onClick={() => run({ kind: 'patch', patch: { status } })}>
                {texts.set(TEXTS.petStatus[status])}
              </Button>
            ))}
            <Button small onClick={() => setAsked('category')}>
              {texts.category}
            </Button>
            <Button small look="danger" onClick={() => setAsked('delete')}>
              {TEXTS.common.delete}
            </Button>
            <span className="last actions">
              {!isPage && (
                <Button small look="quiet" onClick={() => select(shown)}>
                  {texts.all}
                </Button>
              )}
              {isPage && hasMore && !isAll && (
                <Button small look="quiet" onClick={() => onSelect({ pets, isAll: true })}>
                  {texts.allMatching(matching)}
                </Button>
              )}
              <Button small look="quiet" onClick={() => select([])}>
                {texts.none}
              </Button>
            </span>
          </>
        )}
      </div>
      {asked === 'category' && (
        <ChooseCategory
          title={texts.categoryOf(selected)}
          onChoose={(categoryId) => run({ kind: 'patch', patch: { categoryId } })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'delete' && (
        <Confirm
          title={texts.confirmDelete(selected)}
          action={TEXTS.common.delete}
          keep={texts.keep}
          onConfirm={() => run({ kind: 'delete' })}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </section>
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
  const { id, fault } = useCategoryLookup(text).find(text);
  const submit = () => {
    setIsChecked(true);
    if (id !== undefined) onChoose(id);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={TEXTS.common.save} onSubmit={submit}>
        <CategoryField
          autoFocus
          value={text}
          onChange={setText}
          fault={isChecked ? fault : undefined}
        />
      </Form>
    </Dialog>
  );
}
