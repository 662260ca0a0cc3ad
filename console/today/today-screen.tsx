import { type KeyboardEvent, useRef, useState } from 'react';
import { goTo, linkTo } from '../address.ts';
import { useFindPet } from '../animals/queries.ts';
import { serviceNow } from '../clock.ts';
import { formatLongDay } from '../format.ts';
import { type Shown, ShownDialog } from '../orders/shown.tsx';
import { Heading } from '../parts/heading.tsx';
import { Failure } from '../parts/notices.tsx';
import { openDialogs } from '../parts/open-dialogs.ts';
import { SearchInput } from '../parts/search-field.tsx';
import { searchFault, searchTerm } from '../search.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { FirstSteps } from './first-steps.tsx';
import { LastEvents } from './last-events.tsx';
import { Holds, Sold } from './orders.tsx';
import { useIsEmpty } from './queries.ts';
import { Stock, Waiting } from './stock.tsx';

/** How the shop is doing, as far as the API key may know. Each figure leads to the list that it counts. */
export function TodayScreen() {
  const { may } = useSession();
  const [shown, setShown] = useState<Shown>();
  const isEmpty = useIsEmpty();
  return (
    <>
      <Heading title={TEXTS.navigation.today} introduction={formatLongDay(serviceNow())} />
      {may('pets:read') && <AnimalSearch onFound={(petId) => setShown({ petId })} />}
      <FirstSteps isShown={isEmpty === true} />
      {!isEmpty && (
        <div className="cards">
          <div>
            {may('orders:read') && <Sold />}
            {may('pets:read') && <Stock />}
          </div>
          <div>
            {may('orders:read') && <Holds onShow={setShown} />}
            {may('pets:read') && <Waiting onShow={setShown} />}
            {may('events:read') && <LastEvents onShow={setShown} />}
          </div>
        </div>
      )}
      <ShownDialog shown={shown} onShow={setShown} />
    </>
  );
}

/** Opens the animal that a text means, or the list of those that it may mean. */
function AnimalSearch({ onFound }: { readonly onFound: (petId: string) => void }) {
  const find = useFindPet();
  const [text, setText] = useState('');
  const term = searchTerm(text);
  /** A scanner may type the next number during a search. */
  const wanted = useRef('');
  const onKeyDown = ({ key, nativeEvent, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
    if (key !== 'Enter' || nativeEvent.isComposing || term === '') return;
    if (searchFault(term) !== undefined) return;
    const search = (name: string) =>
      find.mutate(name, {
        onSettled: (petId, error) => {
          if (wanted.current !== name) return search(wanted.current);
          // The user may have opened and edited something meanwhile.
          if (error || openDialogs().length > 0) return;
          setText('');
          // The next text after the dialog is another search.
          currentTarget.blur();
          if (petId) onFound(petId);
          else goTo(linkTo('animals', { name }));
        },
      });
    wanted.current = term;
    currentTarget.select();
    search(term);
  };
  return (
    <div className="filters">
      <SearchInput
        placeholder={TEXTS.today.searchHint}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        fault={searchFault(term)}
      />
      {find.error && <Failure error={find.error} />}
    </div>
  );
}
