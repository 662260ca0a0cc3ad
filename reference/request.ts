import { randomKey } from '../sdk/src/requests.ts';
import { addressOf, part } from './page.ts';

/** A request, as `fetch` takes it. */
export type FormRequest = ReturnType<typeof readRequest>;

/** The request that a form describes. Every value is sent as the text that the user typed, so no number is rounded. */
export function readRequest(form: HTMLFormElement, secret: string) {
  const { method = '', path = '' } = form.dataset;
  const headers: [string, string][] = [['Authorization', `Bearer ${secret}`]];
  const query = new URLSearchParams();
  let filled = path;
  for (const { place, name, value } of filledInputs(form)) {
    if (place === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (place === 'header') headers.push([name, value]);
    else query.append(name, value);
  }
  const url = addressOf(`../v1${filled}${query.size > 0 ? `?${query}` : ''}`);
  const { value: body = '', dataset = {} } = form.querySelector('textarea') ?? {};
  if (body !== '') headers.push(['Content-Type', dataset['type'] ?? '']);
  // Redirects are not followed, and no cache answers: what is shown is what the service received and sent.
  const exact = { redirect: 'manual', cache: 'no-store' } as const;
  return { url, init: { method, headers, body: body || null, ...exact } };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Shows the request that a form describes as a command, with the variables of the page. */
export function showCommand(form: HTMLFormElement): void {
  const { url, init } = readRequest(form, '');
  const isDefault = init.method === (init.body === null ? 'GET' : 'POST');
  const [, ...headers] = init.headers.map((header) => `-H ${quoted(header.join(': '))}`);
  part(form.parentElement as ParentNode, 'code').textContent = [
    `curl ${isDefault ? '' : `-X ${init.method} `}-H "$AUTH"`,
    ...headers,
    ...(init.body === null ? [] : [`-d ${quoted(init.body)}`]),
    `"${url.replace(addressOf('../v1'), '$STORE')}"`,
  ].join(' \\\n  ');
}

/** The values of the inputs, whose names say where they go. A list is several values. A path without a value has its example. */
const filledInputs = (form: HTMLFormElement) =>
  [...form.querySelectorAll<HTMLInputElement>('input, select')].flatMap((input) => {
    const [place = '', name = ''] = input.name.split('.');
    const example = place === 'path' ? input.getAttribute('placeholder') : '';
    const values = (input.value || example || '').split(place === 'list' ? ',' : /$/);
    return values.map((text) => ({ place, name, value: text.trim() })).filter(({ value }) => value);
  });

/** Gives the next creation a key of its own. Until a creation succeeds, the key stays: repeating it creates nothing twice. */
export function renewCreationKey(form: HTMLFormElement): void {
  const input = form.elements.namedItem('header.Idempotency-Key');
  if (input instanceof HTMLInputElement) input.value = randomKey();
}
