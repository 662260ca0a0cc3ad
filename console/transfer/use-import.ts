import { useEffect, useRef, useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import { deletePet, editPet } from '../animals/bulk-queries.ts';
import { randomKey } from '../change.ts';
import { Refusal } from '../failures.ts';
import { type Failed, type Step, takeSteps, useRun } from '../many.ts';
import { patient } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import type { Store } from '../store.ts';
import { TEXTS } from '../texts.ts';
import {
  type AnimalsFile,
  type FileAnimal,
  type FileUpdate,
  isSame,
  leaveOutRefused,
  type RowFault,
} from './animals-file.ts';

export interface ImportProgress {
  /** After `refused`, the rest can be imported. */
  readonly state: 'ready' | 'running' | 'stopped' | 'refused' | 'done' | 'undoing' | 'undone';
  /** The animals that are stored, the updated ones first, or those that are set back. */
  readonly count: number;
  readonly total: number;
  /** The rows that are left out, those that the service refused first. */
  readonly faults: readonly RowFault[];
  /** False also while it is not known whether the last part was added. */
  readonly mayUndo: boolean;
  readonly notUndone: readonly Failed[];
}

/** What is being added. Another key is needed as soon as rows are left out, because the parts are others then. */
interface Load {
  readonly key: string;
  readonly animals: readonly FileAnimal[];
  /** The animals of the file that were stored before. */
  readonly before: number;
  /** The animals of this load that are stored. */
  from: number;
}

function refuseUnless(isTrue: boolean): void {
  if (!isTrue) throw new Refusal(TEXTS.failures.changed);
}

/** Changes an animal, unless somebody has changed it since it was compared. */
const updateOf = (store: Store, update: FileUpdate) => ({
  ...update,
  act: () =>
    editPet(store, update.pet.id, (now) => {
      refuseUnless(isSame(now, update.pet) || isSame(now, update.animal));
      return update.animal;
    }),
});

/** Removes an animal that was added, unless somebody has changed it since. */
const removalOf = (store: Store, pet: Pet<string>): Step => ({
  pet,
  act: () => deletePet(store, pet.id, (now) => refuseUnless(isSame(now, pet))),
});

/** Changes animals and adds others, in parts. It can be stopped, resumed and undone: no animal is added twice. */
export function useImport({ animals, updates, faults }: AnimalsFile) {
  const { store } = useSession();
  const refresh = useRefresh();
  const { error, setError, start, stop } = useRun();
  const [progress, setProgress] = useState<ImportProgress>(() => ({
    state: 'ready',
    count: 0,
    total: updates.length + animals.length,
    faults,
    mayUndo: false,
    notUndone: [],
  }));
  const change = (changes: Partial<ImportProgress>) =>
    setProgress((before) => ({ ...before, ...changes }));
  const leaveOut = (left: readonly RowFault[]) =>
    setProgress((before) => ({
      ...before,
      total: before.total - left.length,
      faults: [...left, ...before.faults],
    }));
  const waiting = useRef(updates);
  const [first] = useState<Load>(() => ({ key: randomKey(), animals, before: 0, from: 0 }));
  const load = useRef(first);
  const undos = useRef<Step[]>([]);
  useEffect(() => stop, [stop]);

  /** Returns whether it has come to all updates. */
  const update = async (signal: AbortSignal): Promise<boolean> => {
    const { before } = load.current;
    const steps = waiting.current.map((one) => updateOf(store, one));
    const { failed, rest, ...outcome } = await takeSteps(steps, signal, (count) =>
      change({ count: before + count }),
    );
    const count = before + steps.length - failed.length - rest.length;
    waiting.current = rest;
    load.current = { ...load.current, before: count };
    undos.current.push(...outcome.undos);
    leaveOut(
      failed.map(({ step: { line }, name, reason }) => ({
        line,
        message: TEXTS.transfer.refused(name, reason),
      })),
    );
    change({ count });
    setError(outcome.error);
    return rest.length === 0;
  };

  /** Adds the animals of the load, until the service refuses some of them. */
  const add = async (signal: AbortSignal): Promise<ImportProgress['state']> => {
    const { current } = load;
    try {
      await store.pets.bulkCreate(
        current.animals.map(({ animal }) => animal),
        {
          ...patient(signal),
          idempotencyKey: current.key,
          from: current.from,
          onProgress: ({ created, count }) => {
            current.from = count;
            undos.current.push(...created.map((pet) => removalOf(store, pet)));
            change({ count: current.before + count });
          },
        },
      );
      return 'done';
    } catch (failure) {
      const rest = leaveOutRefused(current.animals, failure);
      if (rest !== undefined) {
        const before = current.before + current.from;
        load.current = { key: randomKey(), animals: rest.animals, before, from: 0 };
        leaveOut(rest.faults);
        return 'refused';
      }
      if (!signal.aborted) setError(failure);
      return 'stopped';
    }
  };

  /** @param leavesOut the user has seen that rows are left out. */
  const run = (leavesOut: boolean) =>
    start(async (signal) => {
      change({ state: 'running' });
      const isUpdated = await update(signal);
      let state = isUpdated ? await add(signal) : 'stopped';
      while (state === 'refused' && (leavesOut || load.current.animals.length === 0))
        state = await add(signal);
      const isKnown = !isUpdated || state !== 'stopped';
      change({ state, mayUndo: isKnown && undos.current.length > 0 });
      refresh();
    });
  const undo = () =>
    start(async (signal) => {
      const total = undos.current.length;
      change({ state: 'undoing', total, count: 0 });
      const outcome = await takeSteps(undos.current, signal, (count) => change({ count }));
      undos.current = outcome.rest;
      const left = outcome.rest.length + outcome.failed.length;
      change({
        state: 'undone',
        count: total - left,
        mayUndo: outcome.rest.length > 0,
        notUndone: [...progress.notUndone, ...outcome.failed],
      });
      setError(outcome.error);
      refresh();
    });
  return { progress, error, run: () => run(progress.state === 'refused'), undo, stop };
}
