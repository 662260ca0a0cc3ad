import { describeFailure } from '../failures.ts';
import { int64Text } from '../int64.ts';
import { nameFault } from '../name-fault.ts';
import { Combobox, type Option } from '../parts/combobox.tsx';
import { Name } from '../parts/named.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { lookupIn, matching, suggestionsOf } from './category-lookup.ts';
import { useAddCategory, useCategoriesFor } from './queries.ts';

/** As many as a person reads. The text narrows them down. */
const MAX_OPTIONS = 50;

/** The option that names a new category. No category has this id. */
const NEW = 'new';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onChoose?: (id: string) => void;
  /** Nothing stands for all categories. */
  readonly isFilter?: boolean;
  readonly autoFocus?: boolean;
  readonly fault?: string | undefined;
}

/** What a number stands for. @param text its name, or itself. */
const Hint = ({ id, text }: { readonly id: string; readonly text: string }) =>
  text === id ? TEXTS.animals.categoryUnnamed(id) : <Name>{text}</Name>;

/** A category by its name. Suggests those with a name, and says the name of a number. */
export function CategoryField(props: Props) {
  const { value, onChange, onChoose, isFilter, autoFocus, fault } = props;
  const { may } = useSession();
  const add = useAddCategory();
  const { categories, isWhole, error } = useCategoriesFor(value);
  const suggestions = suggestionsOf(categories);
  const { find, textOf } = lookupIn(categories);
  const { id, fault: problem } = find(value);
  // A whole name that is there says nothing about what the user looks for.
  const isChosen = suggestions.some(({ text }) => text === value);
  const options = matching(suggestions, isChosen ? '' : value).map(
    ({ category: { id }, text }): Option => ({ id, text }),
  );
  const name = value.trim();
  const isUnknown = options.length === 0 && problem === TEXTS.animals.categoryUnknown;
  const isNew = isUnknown && isWhole && !isFilter && may('pets:write') && !nameFault(name);
  if (isNew) options.push({ id: NEW, text: name, label: TEXTS.animals.categoryNew(name) });
  const isAwaited = isUnknown && (!isWhole || add.isPending);
  const advice = isNew ? TEXTS.animals.categoryToCreate : fault;
  const said = isAwaited ? TEXTS.common.loading : advice;
  const failure = add.error ?? (isUnknown && error);
  const isNumber = id !== undefined && int64Text(value) !== undefined;
  const hint = !isFilter && isNumber && <Hint id={id} text={textOf(id)} />;
  return (
    <Combobox
      label={TEXTS.common.category}
      listLabel={TEXTS.navigation.categories}
      placeholder={isFilter ? TEXTS.common.all : undefined}
      hint={hint}
      fault={failure ? describeFailure(failure).message : fault && said}
      autoFocus={autoFocus}
      value={value}
      options={options.slice(0, MAX_OPTIONS)}
      onType={(text) => {
        // What failed was about another text.
        add.reset();
        onChange(text);
      }}
      onChoose={({ id: chosen, text }) => (chosen === NEW ? add.mutate(text) : onChoose?.(chosen))}
      // The user sees which category the beginning of its name stands for.
      onLeave={() => {
        if (id !== undefined && !isNumber && textOf(id) !== value) onChange(textOf(id));
        // The list is what its filter says.
        if (isFilter && id !== undefined) onChoose?.(id);
      }}
    />
  );
}
