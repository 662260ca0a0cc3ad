import { addressOf, element, part } from './page.ts';

/** As src/reference/search-index.ts writes it. */
type Entry = readonly [title: string, about: string, href: string];

const MAX_SHOWN = 12;

/** Shows the search: a field with a list of links below it. The arrows move between them, Enter follows the first. */
export function offerSearch(place: HTMLElement): void {
  const input = part<HTMLInputElement>(place, 'input');
  const list = part(place, 'ul');
  let index: Promise<readonly Entry[]> | undefined;
  const show = (entries: readonly Entry[], said: string) => {
    // First hidden: the removal of a link that has the focus comes here again.
    list.hidden = said === '';
    const last = element('li', { className: 'facts' }, said);
    list.replaceChildren(...entries.slice(0, MAX_SHOWN).map(itemOf), last);
    part(place, '[role=status]').textContent = said;
  };
  const search = async () => {
    const text = input.value;
    if (text.trim() === '') return show([], '');
    index ??= fetch(addressOf('search.json')).then((response) =>
      response.ok ? response.json() : Promise.reject(response),
    );
    const entries = await index.catch(() => undefined);
    // The user has typed on while the index was loaded.
    if (text !== input.value) return;
    if (entries === undefined) {
      index = undefined;
      return show([], 'The search cannot be loaded.');
    }
    const found = matches(entries, text);
    const rest = found.length > MAX_SHOWN ? `, of which ${MAX_SHOWN} are shown` : '';
    show(found, found.length === 1 ? '1 result' : `${found.length || 'No'} results${rest}`);
  };
  const move = (by: number) => {
    const stops: (Element | null)[] = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    (stops[(at + by + stops.length) % stops.length] as HTMLElement).focus();
  };
  const leave = () => {
    if (list.hidden) input.blur();
    else input.focus();
    show([], '');
  };
  place.hidden = false;
  input.addEventListener('input', search);
  input.addEventListener('focus', () => list.hidden && search());
  place.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && event.target === input) {
      search().then(() => list.querySelector('a')?.click());
    } else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  });
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (!list.hidden && !place.contains(relatedTarget as Node | null)) show([], '');
  });
  list.addEventListener('click', () => {
    input.value = '';
    show([], '');
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as HTMLElement).matches('input, select, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

const itemOf = ([title, about, href]: Entry): HTMLElement => {
  const texts = [element('b', {}, title), element('small', {}, about)];
  return element('li', {}, element('a', { href: addressOf(href) }, ...texts));
};

/** The entries with every word, in the order of the index. Entries whose title is the text come first. */
function matches(entries: readonly Entry[], text: string): Entry[] {
  const sought = text.trim().toLowerCase();
  const isExact = ([title]: Entry) => title.toLowerCase() === sought;
  const hasAll = ([title, about]: Entry) =>
    sought.split(/\s+/).every((word) => `${title} ${about}`.toLowerCase().includes(word));
  return entries.filter(hasAll).sort((a, b) => Number(isExact(b)) - Number(isExact(a)));
}
