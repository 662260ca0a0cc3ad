import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { CategoryField } from '../categories/category-field.tsx';
import { useCategoryLookup } from '../categories/category-lookup.ts';
import { formatNumber } from '../format.ts';
import { type Failed, type Step, takeSteps, useRun } from '../many.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { useKeepFocus } from '../parts/keep-focus.ts';
import { Failure, Faults } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type BulkChange, stepOf } from './bulk-queries.ts';
import { type PetQuery, petPages } from './queries.ts';
import type { Selected } from './use-selected.ts';

/** The statuses that several animals get at once. They are sold one by one, so that each has an order. */
const STATUSES = ['available', 'pending'] as const;

interface Props {
  readonly query: Omit<PetQuery, 'cursor'>;
  readonly shown: readonly Pet<string>[];
  readonly count: number | undefined;
  readonly selected: Selected;
}

/** What can be done with the selected animals at once. Those with which it fails stay selected, and are named. */
export function Selection({ query, shown, count, selected }: Props) {
  const { store } = useSession();
  const announce = useAnnounce();
  const refresh = useRefresh();
  const keeper = useKeepFocus<HTMLElement>();
  const { progress, error, setError, start, stop } = useRun();
  const [asked, setAsked] = useState<'category' | 'delete'>();
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const { pets, isAll, has, select } = selected;
  const texts = TEXTS.animals.bulk;
  const known = isAll ? count : pets.length;
  const number = known === undefined ? '' : formatNumber(known);
  const isBusy = progress !== undefined;
  const isPage = shown.every(has);
  const named = failed.filter(({ step }) => has(step.pet));

  /** Continues once the animals of all pages are known, if they are selected. Nothing earlier can be undone meanwhile. */
  const begin = async (go: (found: readonly Pet<string>[]) => void) => {
    announce('');
    const gather = (signal: AbortSignal) => Array.fromAsync(petPages(store, query, signal));
    const found = isAll ? (await start(gather))?.flat() : pets;
    if (found === undefined) return;
    select(found);
    go(found);
  };
  const take = (steps: readonly Step[], said: (count: string, left: string) => string) =>
    start(async (signal, onCount) => {
      const outcome = await takeSteps(steps, signal, onCount);
      const left = [...outcome.failed.map(({ step }) => step), ...outcome.rest];
      // What is left of undoing can be tried again.
      const undos = said === texts.undone ? outcome.rest : outcome.undos;
      announce(
        said(formatNumber(steps.length - left.length), formatNumber(left.length)),
        undos.length > 0
          ? { label: TEXTS.animals.undo, onAct: () => take(undos, texts.undone) }
          : undefined,
      );
      setFailed(outcome.failed);
      setError(outcome.error);
      refresh();
      // The user may have selected others since.
      if (said !== texts.undone || left.length > 0) select(left.map(({ pet }) => pet));
    });
  const change = (found: readonly Pet<string>[], wanted: BulkChange) => {
    setAsked(undefined);
    const steps = found.map((pet) => stepOf(store, pet, wanted));
    void take(steps, wanted === 'delete' ? texts.deleted : texts.saved);
  };

  if (pets.length === 0 && !isBusy) return null;
  return (
    <section {...keeper} className="selection" aria-label={texts.title}>
      {error !== undefined && <Failure error={error} />}
      <Faults title={texts.failed(formatNumber(named.length))} faults={named} />
      <div className="actions">
        <p className="number" role="status">
          {progress?.total === undefined
            ? texts.selected(number)
            : texts.progress(formatNumber(progress.count), formatNumber(progress.total))}
        </p>
        {STATUSES.map((status) => (
          <Button
            small
            key={status}
            isBusy={isBusy}
            onClick={() => begin((found) => change(found, { status }))}
          >
            {texts.set(TEXTS.petStatus[status])}
          </Button>
        ))}
        <Button small isBusy={isBusy} onClick={() => begin(() => setAsked('category'))}>
          {texts.category}
        </Button>
        <Button small look="danger" isBusy={isBusy} onClick={() => begin(() => setAsked('delete'))}>
          {TEXTS.common.delete}
        </Button>
        <span className="last actions">
          {isBusy ? (
            <Button small onClick={stop}>
              {TEXTS.transfer.stop}
            </Button>
          ) : (
            <>
              {!isPage && (
                <Button small look="quiet" onClick={() => select(shown)}>
                  {texts.all}
                </Button>
              )}
              {isPage && known !== count && (
                <Button small look="quiet" onClick={selected.selectAll}>
                  {texts.allMatching(count === undefined ? '' : formatNumber(count))}
                </Button>
              )}
              <Button small look="quiet" onClick={() => select([])}>
                {texts.none}
              </Button>
            </>
          )}
        </span>
      </div>
      {asked === 'category' && (
        <ChooseCategory
          title={texts.categoryOf(number)}
          onChoose={(categoryId) => change(pets, { categoryId })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'delete' && (
        <Confirm
          title={texts.confirmDelete(number)}
          action={TEXTS.common.delete}
          keep={texts.keep}
          onConfirm={() => change(pets, 'delete')}
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
