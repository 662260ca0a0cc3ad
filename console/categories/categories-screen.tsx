import { useState } from 'react';
import type { Category } from '../../sdk/src/index.ts';
import { linkTo, useAddress } from '../address.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Heading } from '../parts/heading.tsx';
import { InvalidFilter, Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { searchFault, searchTerm, useSearch } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { NameCategory } from './name-category.tsx';
import { useCategories, useDeleteCategory } from './queries.ts';

type Shown =
  | { readonly dialog: 'name'; readonly category: Category<string> | undefined }
  | { readonly dialog: 'delete'; readonly category: Category<string> };

export function CategoriesScreen() {
  const { may } = useSession();
  const address = useAddress();
  const name = searchTerm(address.query.get('name') ?? '');
  const isValid = searchFault(name) === undefined;
  const cursor = address.query.get('cursor') ?? '';
  const categories = useCategories(isValid ? { name, cursor } : undefined);
  const search = useSearch({
    name,
    isLoaded: categories.data !== undefined && !categories.isPlaceholderData,
    linkOf: (searched) => linkTo('categories', { name: searched }),
  });
  const [shown, setShown] = useState<Shown>();
  const open = (dialog: Shown) => {
    search.settle();
    setShown(dialog);
  };
  const texts = TEXTS.categories;
  const close = () => setShown(undefined);
  return (
    <>
      <Heading title={texts.title} introduction={texts.introduction}>
        {may('pets:write') && (
          <Button
            look="primary"
            icon="plus"
            onClick={() => open({ dialog: 'name', category: undefined })}
          >
            {texts.add}
          </Button>
        )}
      </Heading>
      <div className="filters">
        <SearchField search={search} name={name} hint={texts.searchHint} />
      </div>
      {isValid ? (
        <Listing
          address={address}
          result={categories}
          label={texts.title}
          columns={
            <>
              <Column>{TEXTS.common.name}</Column>
              <Column>{TEXTS.common.id}</Column>
              <Column end>
                <span className="visually-hidden">{TEXTS.common.actions}</span>
              </Column>
            </>
          }
          empty={<NoCategories name={name} />}
          row={(category) => (
            <tr className="row" key={category.id}>
              <td className="title" data-wide>
                <a href={linkTo('animals', { category: category.id })}>
                  <Name>{category.name}</Name>
                </a>
              </td>
              <td className="number muted" data-label={TEXTS.common.id}>
                {category.id}
              </td>
              <td className="end" data-wide>
                {may('pets:write') && (
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
                )}
              </td>
            </tr>
          )}
        />
      ) : (
        <InvalidFilter icon="categories" link={linkTo('categories')} />
      )}
      {shown?.dialog === 'name' && <NameCategory category={shown.category} onClose={close} />}
      {shown?.dialog === 'delete' && <DeleteCategory category={shown.category} onClose={close} />}
    </>
  );
}

/** Why the list is empty, and the way to a longer one. */
function NoCategories({ name }: { readonly name: string }) {
  const texts = TEXTS.categories;
  if (name === '') return <Empty icon="categories" title={texts.none} hint={texts.noneHint} />;
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
  readonly category: Category<string>;
  readonly onClose: () => void;
}

function DeleteCategory({ category: { id, name }, onClose }: DeleteProps) {
  const announce = useAnnounce();
  const remove = useDeleteCategory();
  const onSuccess = () => {
    announce(<Named text={TEXTS.categories.deleted} name={name} />);
    onClose();
  };
  return (
    <Confirm
      title={<Named text={TEXTS.categories.confirmDelete} name={name} />}
      action={TEXTS.common.delete}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() => remove.mutate(id, { onSuccess })}
    />
  );
}
