import type { Random } from '../../../test/support/random.ts';

/** Choices that a generator of numbers makes. */
export interface Choices {
  /** A whole number from `min` to `max`. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function choicesOf(random: Random): Choices {
  const int = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  return {
    int,
    chance: (probability) => random() < probability,
    pick: <T>(from: readonly T[]): T => from[int(0, from.length - 1)] as T,
  };
}
