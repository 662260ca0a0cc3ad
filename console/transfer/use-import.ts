import { useEffect, useRef, useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';
import {
  changePet,
  type Done,
  differs,
  doEach,
  type Failed,
  undoOne,
} from '../animals/change-many.ts';
import { randomKey } from '../change.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type FileAnimal, leaveOutRefused, type RowFault } from './animals-file.ts';
import type { ComparedFile } from './compare-animals.ts';

/** How far an import is. */
export interface ImportProgress {
  /** After `refused`, the rest can be imported. */
  readonly state: 'ready' | 'running' | 'stopped' | 'refused' | 'done' | 'undoing' | 'undone';
  /** The animals that are updated, and those that are added, from the first one on. */
  readonly updated: number;
  readonly count: number;
  readonly total: number;
  /** The rows that are left out, those that the service refused first. */
  readonly faults: readonly RowFault[];
  /** Why it stopped, unless the user stopped it. */
  readonly error?: unknown;
  /** What could not be undone. */
  readonly notUndone: readonly Failed<Pet<string>>[];
}

/** What is being imported. Another key is needed as soon as rows are left out, because the parts are others then. */
interface Load {
  readonly key: string;
  readonly animals: readonly FileAnimal[];
  /** The animals of the file that were stored before. */
  readonly before: number;
  /** The animals of this load that are stored. */
  from: number;
}

/** A wait of the service is no reason to stop. The page says so, and the user can leave the wait. */
const MAX_RETRIES = 10;

/** Updates animals, and adds many in parts. It can be stopped, resumed and undone: no animal is added twice. */
export function useImport({ animals, updates, faults }: ComparedFile) {
  const { store } = useSession();
  const refresh = useRefresh();
  const [progress, setProgress] = useState<ImportProgress>(() => ({
    state: 'ready',
    updated: 0,
    count: 0,
    total: updates.length + animals.length,
    faults,
    notUndone: [],
  }));
  const change = (changes: Partial<ImportProgress>) =>
    setProgress((before) => ({ ...before, ...changes }));
  const running = useRef<AbortController>(undefined);
  const [first] = useState<Load>(() => ({ key: randomKey(), animals, before: 0, from: 0 }));
  const load = useRef(first);
  const waiting = useRef(updates);
  const updated = useRef(0);
  const done = useRef<Done[]>([]);
  useEffect(() => () => running.current?.abort(), []);

  /** Updates the animals whose turn has not come yet. */
  const update = async (signal: AbortSignal): Promise<void> => {
    const before = updated.current;
    const refuse = (seen: Pet<string>) => (now: Pet<string>) =>
      differs(now, seen) ? TEXTS.animals.bulk.changedSince : undefined;
    const outcome = await doEach(
      waiting.current,
      ({ pet, patch }) => changePet(store, pet.id, patch, refuse(pet), signal),
      signal,
      (count) => change({ updated: before + count }),
    );
    waiting.current = outcome.left;
    done.current.push(...outcome.done);
    updated.current = before + outcome.done.length;
    const refused = outcome.failed.map(({ item, reason }) => ({
      line: item.line,
      message: reason,
    }));
    setProgress((earlier) => ({
      ...earlier,
      updated: updated.current,
      total: earlier.total - refused.length,
      faults: [...refused, ...earlier.faults],
    }));
  };

  /** Adds the animals of the load, until the service refuses some of them. */
  const add = async (signal: AbortSignal): Promise<ImportProgress['state']> => {
    const { current } = load;
    try {
      await store.pets.bulkCreate(
        current.animals.map(({ animal }) => animal),
        {
          idempotencyKey: current.key,
          from: current.from,
          signal,
          maxRetries: MAX_RETRIES,
          onProgress: ({ count, created }) => {
            current.from = count;
            done.current.push(...created.map((pet) => ({ pet })));
            change({ count: current.before + count });
          },
        },
      );
      return 'done';
    } catch (error) {
      const rest = leaveOutRefused(current.animals, error);
      if (rest !== undefined) {
        const before = current.before + current.from;
        load.current = { key: randomKey(), animals: rest.animals, before, from: 0 };
        setProgress((earlier) => ({
          ...earlier,
          total: earlier.updated + before + rest.animals.length,
          faults: [...rest.faults, ...earlier.faults],
        }));
        return 'refused';
      }
      if (!signal.aborted) change({ error });
      return 'stopped';
    }
  };

  /** @param leavesOut the user has seen that rows are left out. */
  const run = async (leavesOut: boolean) => {
    // The second click of two does not wait for the button to change.
    if (running.current !== undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    change({ state: 'running', error: undefined });
    await update(signal);
    let state: ImportProgress['state'] = waiting.current.length > 0 ? 'stopped' : await add(signal);
    while (state === 'refused' && (leavesOut || load.current.animals.length === 0))
      state = await add(signal);
    running.current = undefined;
    change({ state });
    refresh();
  };
  const undo = async () => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    change({ state: 'undoing', updated: 0, count: 0, total: done.current.length });
    const outcome = await doEach(
      done.current,
      (one) => undoOne(store, one, signal),
      signal,
      (count) => change({ count }),
    );
    const left = outcome.left.map((item) => ({ item, reason: TEXTS.transfer.stopped }));
    const notUndone = [...outcome.failed, ...left].map(({ item, reason }) => ({
      item: item.pet,
      reason,
    }));
    change({ state: 'undone', count: outcome.done.length, notUndone });
    refresh();
  };
  return {
    progress,
    mayUndo: done.current.length > 0,
    undo: () => void undo(),
    run: () => void run(progress.state === 'refused'),
    stop: () => running.current?.abort(),
  };
}
