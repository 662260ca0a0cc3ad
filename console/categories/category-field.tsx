import { useId } from 'react';
import { int64Text } from '../int64.ts';
import { TextField } from '../parts/field.tsx';
import { TEXTS } from '../texts.ts';
import { useCategoryNames } from './queries.ts';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly readOnly?: boolean | undefined;
  readonly fault?: string | undefined;
}

/** The number of a category. Suggests those with a name, and says the name of the number. */
export function CategoryField({ value, onChange, readOnly, fault }: Props) {
  const names = useCategoryNames();
  const listId = useId();
  return (
    <>
      <TextField
        label={TEXTS.animals.categoryId}
        hint={names.get(int64Text(value) ?? '')}
        inputMode="numeric"
        list={listId}
        value={value}
        readOnly={readOnly}
        onChange={(event) => onChange(event.target.value)}
        fault={fault}
      />
      <datalist id={listId}>
        {[...names].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
