import { useState } from 'react';
import type { Pet } from '../../sdk/src/index.ts';

const NONE = { pets: [] as readonly Pet<string>[], isAll: false, anchor: '' };

export type Selected = ReturnType<typeof useSelected>;

/** The selected animals. Another page of the list begins without any. With `isAll`, also those on other pages are. */
export function useSelected(page: string, shown: readonly Pet<string>[]) {
  const [state, setState] = useState({ ...NONE, page });
  if (state.page !== page) setState({ ...NONE, page });
  const pets = state.isAll ? shown : state.pets;
  const has = ({ id }: Pet<string>) => pets.some((pet) => pet.id === id);
  /** What takes long may select on another page than that on which it began. */
  const select = (wanted: readonly Pet<string>[]) =>
    setState((now) => ({ ...NONE, page: now.page, pets: wanted }));
  const selectAll = () => setState({ ...NONE, page, isAll: true });
  /** A range begins at the animal that was toggled last. */
  const toggle = (pet: Pet<string>, isRange: boolean) => {
    const placeOf = (id: string) => shown.findIndex((one) => one.id === id);
    const [from = -1, to = -1] = [placeOf(state.anchor), placeOf(pet.id)].sort((a, b) => a - b);
    const toggled = isRange && from !== -1 ? shown.slice(from, to + 1) : [pet];
    const others = pets.filter(({ id }) => toggled.every((one) => one.id !== id));
    const wanted = has(pet) ? others : [...others, ...toggled];
    setState({ page, pets: wanted, isAll: false, anchor: pet.id });
  };
  return { pets, isAll: state.isAll, has, select, selectAll, toggle };
}
