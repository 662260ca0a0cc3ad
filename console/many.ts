import { useCallback, useRef, useState } from 'react';
import type { Pet } from '../sdk/src/index.ts';
import { describeFailure, isRefusal } from './failures.ts';
import { useAskBeforeUnload } from './parts/dialog.tsx';

/** What is done with one animal. Returns how that is undone, if it can be. */
export interface Step {
  readonly pet: Pet<string>;
  readonly act: () => Promise<Step | undefined>;
}

export interface Failed<S extends Step = Step> {
  readonly step: S;
  readonly name: string;
  readonly reason: string;
}

type OnCount = (count: number, total?: number) => void;

const PARALLEL = 4;

/**
 * Takes steps. A refusal is about its step; another failure, such as a lost connection, ends the whole. After the signal no step
 * begins, and those that have begun are completed. `rest` are the steps that were not taken.
 */
export async function takeSteps<S extends Step>(
  steps: readonly S[],
  signal: AbortSignal,
  onCount: OnCount,
) {
  const undos = new Map<S, Step | undefined>();
  const reasons = new Map<S, string>();
  let end: { readonly error: unknown } | undefined;
  const waiting = steps.values();
  const work = async () => {
    for (const step of waiting) {
      try {
        undos.set(step, await step.act());
      } catch (error) {
        if (isRefusal(error)) reasons.set(step, describeFailure(error).message);
        else end ??= { error };
      }
      onCount(undos.size + reasons.size, steps.length);
      if (signal.aborted || end) return;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return {
    undos: [...undos.values()].filter((undo) => undo !== undefined),
    failed: steps.flatMap((step): Failed<S>[] => {
      const reason = reasons.get(step);
      return reason === undefined ? [] : [{ step, name: step.pet.name, reason }];
    }),
    rest: steps.filter((step) => !undos.has(step) && !reasons.has(step)),
    error: end?.error,
  };
}

/** Something that takes long, once at a time: how far it is, why it failed, and how to stop it. */
export function useRun() {
  const [progress, setProgress] = useState<{ count: number; total: number | undefined }>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useAskBeforeUnload(progress !== undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  /** Returns the result of the work. Undefined if it failed or was stopped, or other work runs. */
  const start = async <Result>(
    work: (signal: AbortSignal, onCount: OnCount) => Promise<Result>,
  ) => {
    // The second click of two does not wait for the button to change.
    if (running.current !== undefined) return undefined;
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setProgress({ count: 0, total: undefined });
    try {
      return await work(controller.signal, (count, total) => setProgress({ count, total }));
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
      return undefined;
    } finally {
      running.current = undefined;
      setProgress(undefined);
    }
  };
  return { progress, error, setError, start, stop };
}
