import type { ReactNode } from 'react';
import { CategoryName } from '../categories/category-name.tsx';
import { Name } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';
import type { PetInput } from './queries.ts';

interface Field {
  readonly label: string;
  readonly show: (pet: PetInput) => ReactNode;
}

export type FieldName = keyof PetInput;

/** In the order in which they are shown. A missing field does not compile. */
export const FIELDS: Readonly<Record<FieldName, Field>> = {
  name: { label: TEXTS.common.name, show: ({ name }) => <Name>{name}</Name> },
  categoryId: {
    label: TEXTS.common.category,
    show: ({ categoryId }) => <CategoryName id={categoryId} withNumber />,
  },
  status: {
    label: TEXTS.common.status,
    show: ({ status }) => TEXTS.petStatus[status ?? 'unset'],
  },
};

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** The animal with these values. A field that is undefined is left out. A missing one does not compile. */
export const petOf = (values: Readonly<Record<FieldName, unknown>>): PetInput =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as unknown as PetInput;
