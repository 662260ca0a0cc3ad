import { useEffect, useRef, useState } from 'react';
import { randomKey } from '../change.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import {
  type AnimalsFile,
  type FileAnimal,
  leaveOutRefused,
  type RowFault,
} from './animals-file.ts';

/** How far an import is. */
interface Progress {
  /** After `refused`, the rest can be imported. */
  readonly state: 'ready' | 'running' | 'stopped' | 'refused' | 'done';
  /** The animals that are stored, from the first one on. */
  readonly count: number;
  readonly total: number;
  /** The rows that are left out, those that the service refused first. */
  readonly faults: readonly RowFault[];
  /** Why it stopped, unless the user stopped it. */
  readonly error?: unknown;
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

/** Adds many animals, in parts. It can be stopped and resumed: no animal is added twice. */
export function useImport({ animals, faults }: AnimalsFile) {
  const { store } = useSession();
  const refresh = useRefresh();
  const [progress, setProgress] = useState<Progress>(() => ({
    state: 'ready',
    count: 0,
    total: animals.length,
    faults,
  }));
  const change = (changes: Partial<Progress>) =>
    setProgress((before) => ({ ...before, ...changes }));
  const running = useRef<AbortController>(undefined);
  const [first] = useState<Load>(() => ({ key: randomKey(), animals, before: 0, from: 0 }));
  const load = useRef(first);
  useEffect(() => () => running.current?.abort(), []);

  /** Adds the animals of the load, until the service refuses some of them. */
  const add = async (signal: AbortSignal): Promise<Progress['state']> => {
    const { current } = load;
    try {
      await store.pets.bulkCreate(
        current.animals.map(({ animal }) => animal),
        {
          idempotencyKey: current.key,
          from: current.from,
          signal,
          maxRetries: MAX_RETRIES,
          onProgress: ({ count }) => {
            current.from = count;
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
          total: before + rest.animals.length,
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
    let state = await add(signal);
    while (state === 'refused' && (leavesOut || load.current.animals.length === 0))
      state = await add(signal);
    running.current = undefined;
    change({ state });
    refresh();
  };
  return {
    progress,
    run: () => void run(progress.state === 'refused'),
    stop: () => running.current?.abort(),
  };
}
