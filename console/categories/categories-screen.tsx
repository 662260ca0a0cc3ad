import { useState } from 'react';
import type { CountedCategory } from '../../sdk/src/index.ts';
import { linkTo, sortIn, useAddress } from '../address.ts';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useDone } from '../parts/status-line.tsx';
import type { Column } from '../parts/table.tsx';
import { searchFault, searchTerm, useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { NameCategory } from './name-category.tsx';
import { totalOf, useCategories, useDeleteCategory } from './queries.ts';

type Shown =
  | { readonly dialog: 'name'; readonly category: CountedCategory<string> | undefined }
  | { readonly dialog: 'delete'; readonly category: CountedCategory<string> };

export function CategoriesScreen() {
  const { may } = useSession();
  const address = useAddress();
  const name = searchTerm(address.query.get('name') ?? '');
  const isValid = searchFault(name) === undefined;
  const cursor = address.query.get('cursor') ?? '';
  const sort = sortIn(address.query, ['-id']);
  const categories = useCategories(isValid ? { name, sort, cursor } : undefined);
  const search = useSearch({
    name,
    result: categories,
    linkOf: (searched) => linkTo('categories', { name: searched, sort }),
  });
  const [shown, setShown] = useState<Shown>();
  const open = (dialog: Shown) => {
    search.settle();
    setShown(dialog);
  };
  const texts = TEXTS.categories;
  const close = () => setShown(undefined);
  const add = () => open({ dialog: 'name', category: undefined });
  const columns: readonly Column<CountedCategory<string>>[] = [
    {
      title: TEXTS.common.name,
      look: 'title',
      cell: (category) => (
        <a href={linkTo('animals', { category: category.id })}>
          <Name>{category.name}</Name>
        </a>
      ),
    },
    {
      title: TEXTS.common.id,
      look: 'number muted',
      end: true,
      isLabelled: true,
      sort: { by: '-id', isOpposite: true },
      cell: ({ id }) => id,
    },
    {
      title: TEXTS.navigation.animals,
      look: 'number',
      end: true,
      isLabelled: true,
      cell: ({ counts }) => formatNumber(totalOf(counts)),
    },
    {
      end: true,
      cell: (category) =>
        may('pets:write') && (
          <div className="actions">
            <Button
              small
              aria-label={`${texts.rename}: ${category.name}`}
              onClick={() => open({ dialog: 'name', category })}
            >
              {texts.rename}
            </Button>
            <Button
              small
              look="quiet"
              aria-label={`${TEXTS.common.delete}: ${category.name}`}
              onClick={() => open({ dialog: 'delete', category })}
            >
              {TEXTS.common.delete}
            </Button>
          </div>
        ),
    },
  ];
  return (
    <>
      <Heading title={TEXTS.navigation.categories} introduction={texts.introduction}>
        {may('pets:write') && (
          <Button look="primary" icon="plus" onClick={add}>
            {texts.add}
          </Button>
        )}
      </Heading>
      <div className="filters">
        <SearchField search={search} hint={texts.searchHint} />
      </div>
      <Listing
        screen="categories"
        address={address}
        isValid={isValid}
        result={categories}
        isSlim
        columns={columns}
        empty={<NoCategories name={name} onAdd={add} />}
      />
      {shown?.dialog === 'name' && <NameCategory category={shown.category} onClose={close} />}
      {shown?.dialog === 'delete' && <DeleteCategory category={shown.category} onClose={close} />}
    </>
  );
}

interface NoCategoriesProps {
  readonly name: string;
  readonly onAdd: () => void;
}

/** Why the list is empty, and the way to a longer one. */
function NoCategories({ name, onAdd }: NoCategoriesProps) {
  const { may } = useSession();
  const texts = TEXTS.categories;
  if (name === '')
    return (
      <Empty icon="categories" title={texts.none} hint={texts.noneHint}>
        {may('pets:write') && <Button onClick={onAdd}>{texts.addFirst}</Button>}
      </Empty>
    );
  return (
    <Empty
      icon="categories"
      title={<Named text={texts.noneNamed} name={name} />}
      hint={TEXTS.common.noneNamedHint}
    >
      <a href={linkTo('categories')}>{TEXTS.common.searchClear}</a>
    </Empty>
  );
}

interface DeleteProps {
  readonly category: CountedCategory<string>;
  readonly onClose: () => void;
}

/** Asks before the deletion. Of a category with animals it says how many, because the service refuses to delete it. */
function DeleteCategory({ category: { id, name, counts }, onClose }: DeleteProps) {
  const done = useDone(onClose);
  const remove = useDeleteCategory();
  const count = totalOf(counts);
  const onSuccess = () => done(<Named text={TEXTS.categories.deleted} name={name} />);
  if (count > 0) {
    return (
      <Dialog title={<Named text={TEXTS.categories.inUse} name={name} />} onClose={onClose}>
        <p>{TEXTS.categories.inUseHint(formatNumber(count))}</p>
        <div className="actions">
          <LeaveButton>{TEXTS.common.close}</LeaveButton>
        </div>
      </Dialog>
    );
  }
  return (
    <Confirm
      title={<Named text={TEXTS.categories.confirmDelete} name={name} />}
      hint={TEXTS.categories.isEmpty}
      action={TEXTS.common.delete}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() => remove.mutate(id, { onSuccess })}
    />
  );
}
