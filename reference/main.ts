/** What the pages of the reference do beyond being read. Without this script, search and sending are missing. */
import { GivenKey } from './given-key.ts';
import { offerCopy, part } from './page.ts';
import { offerSearch } from './search.ts';
import { offerSend, showWhetherAllowed } from './send.ts';

offerSearch(part(document, '.search'));
for (const block of document.querySelectorAll('pre')) offerCopy(block);
const forms = [...document.querySelectorAll<HTMLFormElement>('form.send')];
if (forms.length > 0) {
  const key = new GivenKey(part(document, '#key'), () => {
    for (const form of forms) showWhetherAllowed(form, key.accepted);
  });
  for (const form of forms) offerSend(form, key);
}
