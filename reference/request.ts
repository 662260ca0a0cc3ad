import { randomKey } from '../sdk/src/requests.ts';
import { addressOf } from './page.ts';

/** A request, as `fetch` takes it. */
export type FormRequest = ReturnType<typeof readRequest>;

/**
 * The request that a form describes. Every value is sent as the text that the user typed, so no number is rounded.
 * @throws TypeError if a header cannot be sent
 */
export function readRequest(form: HTMLFormElement, secret: string) {
  const { method = '', path = '' } = form.dataset;
  const headers = new Headers({ Accept: 'application/json', Authorization: `Bearer ${secret}` });
  const query = new URLSearchParams();
  let filled = path;
  for (const { place, name, value } of filledInputs(form)) {
    if (place === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (place === 'header') headers.set(name, value);
    else query.append(name, value);
  }
  const url = addressOf(`../v1${filled}${query.size > 0 ? `?${query}` : ''}`);
  const { value: body = '', dataset = {} } = form.querySelector('textarea') ?? {};
  if (body !== '') headers.set('Content-Type', dataset['type'] ?? '');
  // Redirects are not followed, and no cache answers: what is shown is what the service received and sent.
  const exact = { redirect: 'manual', cache: 'no-store' } as const;
  return { url, init: { method, headers, body: body || null, ...exact } };
}

/** The values of the inputs, whose names say where they go. A list is several values. */
const filledInputs = (form: HTMLFormElement) =>
  [...form.querySelectorAll<HTMLInputElement>('input, select')].flatMap((input) => {
    const [place = '', name = ''] = input.name.split('.');
    const values = place === 'list' ? input.value.split(',') : [input.value];
    return values
      .map((value) => ({ place, name, value: value.trim() }))
      .filter(({ value }) => value !== '');
  });

/** Gives the next creation a key of its own. Until a creation succeeds, the key stays: repeating it creates nothing twice. */
export function renewCreationKey(form: HTMLFormElement): void {
  const input = form.elements.namedItem('header.Idempotency-Key');
  if (input instanceof HTMLInputElement) input.value = randomKey();
}
