import { useEffect, useRef, useState } from 'react';
import { randomKey } from '../creation-key.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import type { FileAnimal } from './animals-file.ts';

/** How far an import is. */
interface Progress {
  readonly state: 'ready' | 'running' | 'stopped' | 'done';
  /** The animals that are stored, from the first one on. */
  readonly count: number;
  /** Why it stopped, unless the user stopped it. */
  readonly error?: unknown;
}

const READY: Progress = { state: 'ready', count: 0 };

/** A wait of the service is no reason to stop. The page says so, and the user can leave the wait. */
const MAX_RETRIES = 10;

/** Adds many animals, in parts. It can be stopped and resumed: no animal is added twice. */
export function useImport(animals: readonly FileAnimal[]) {
  const { store } = useSession();
  const refresh = useRefresh();
  const [progress, setProgress] = useState(READY);
  const running = useRef<AbortController>(undefined);
  const key = useRef('');
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    key.current ||= randomKey();
    const source = animals.map(({ animal }) => animal);
    const controller = new AbortController();
    running.current = controller;
    setProgress({ state: 'running', count: progress.count });
    try {
      const count = await store.pets.bulkCreate(source, {
        idempotencyKey: key.current,
        from: progress.count,
        signal: controller.signal,
        maxRetries: MAX_RETRIES,
        onProgress: (part) => setProgress({ state: 'running', count: part.count }),
      });
      setProgress({ state: 'done', count });
    } catch (error) {
      const isStopped = controller.signal.aborted;
      setProgress(({ count }) => ({ state: 'stopped', count, ...(!isStopped && { error }) }));
    }
    refresh();
  };
  return { progress, run: () => void run(), stop: () => running.current?.abort() };
}
