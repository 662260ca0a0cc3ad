import { useId } from 'react';
import { int64Text } from '../int64.ts';
import { TextField } from '../parts/field.tsx';
import { Name } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';
import { suggestionsOf, useCategoryLookup } from './category-lookup.ts';
import { useCategoryNames } from './queries.ts';

interface Props {
  /** The name or the number of a category. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly readOnly?: boolean | undefined;
  readonly fault?: string | undefined;
}

/** A category by its name or number. Suggests those with a name, and says the name of a number and the number of a name. */
export function CategoryField({ value, onChange, readOnly, fault }: Props) {
  const names = useCategoryNames();
  const { id } = useCategoryLookup()(value);
  const listId = useId();
  return (
    <>
      <TextField
        label={TEXTS.animals.category}
        hint={<Hint text={value} id={id} name={names.get(id ?? '')} />}
        dir="auto"
        list={listId}
        value={value}
        readOnly={readOnly}
        onChange={(event) => onChange(event.target.value)}
        fault={fault}
      />
      <datalist id={listId}>
        {suggestionsOf(names).map((suggestion) => (
          <option key={suggestion.id} value={suggestion.text}>
            {TEXTS.animals.categoryNumber(suggestion.id)}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface HintProps {
  readonly text: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
}

function Hint({ text, id, name }: HintProps) {
  if (id === undefined) return TEXTS.animals.categoryHint;
  if (int64Text(text) === undefined) return TEXTS.animals.categoryNumber(id);
  return name === undefined ? TEXTS.animals.categoryUnnamed(id) : <Name>{name}</Name>;
}
