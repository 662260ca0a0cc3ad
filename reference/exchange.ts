import type { Reply } from '../sdk/src/attempt.ts';
import { readRetryAfterMs } from '../sdk/src/retries.ts';
import { element, offerCopy, part, say } from './page.ts';
import type { FormRequest } from './request.ts';

/** Shows a request as it is sent, but for the API key. */
export function showRequest(form: HTMLFormElement, { url, init }: FormRequest): void {
  const headers = new Headers(init.headers);
  headers.set('Authorization', 'Bearer ********');
  const lines = [`${init.method} ${url}`, linesOf(headers), '', init.body];
  part(form, '.cancel').textContent = 'Cancel';
  say(form, 'Waiting for the response…');
  part(form, '.exchange').replaceChildren(figure('Request as sent', lines.join('\n').trim()));
}

/** Shows a response. */
export function showReply(form: HTMLFormElement, { response, text }: Reply, ms: number): void {
  const { status, statusText, headers, ok } = response;
  const outcome = `${status} ${statusText} after ${ms} ms. `;
  const unclear = status >= 500 ? unclearOutcomeOf(form) : '';
  say(form, ok ? [outcome] : [outcome, ...problemOf(headers, text), unclear], !ok);
  const body = figure('Response body', indented(text) || 'None.');
  part(form, '.exchange').prepend(body, figure('Response headers', linesOf(headers)));
  body.scrollIntoView({ block: 'nearest' });
}

/** What the page keeps of a stream, in characters. */
const MAX_SHOWN = 100_000;

/** Shows a stream as it comes, until it ends or the user stops it. `read` returns its next part, undefined at its end. */
export async function showStream(
  form: HTMLFormElement,
  response: Response,
  ms: number,
  read: () => Promise<string | undefined>,
): Promise<void> {
  showReply(form, { response, text: 'Waiting for events…' }, ms);
  part(form, '.cancel').textContent = 'Stop';
  const shown = part(form, '.exchange pre');
  let text = '';
  for (let more = await read(); more !== undefined; more = await read()) {
    text = (text + more).slice(-MAX_SHOWN);
    part(shown, 'code').textContent = text;
    shown.scrollTop = shown.scrollHeight;
  }
  say(form, 'The service has ended the stream.');
}

/** Shows why there is no response. */
export function showFailure(form: HTMLFormElement, failure: unknown, isSent: boolean): void {
  const { name, message } = failure as Error;
  const reason = name === 'AbortError' ? 'Cancelled.' : message;
  say(form, `${reason}${isSent ? unclearOutcomeOf(form) : ''}`, true);
}

const unclearOutcomeOf = ({ dataset }: HTMLFormElement): string =>
  dataset['method'] === 'GET' ? '' : ' The service may have executed the request.';

/** What the error of a response means, and when to send the request again. */
function problemOf(headers: Headers, text: string): (Node | string)[] {
  const waitMs = readRetryAfterMs(headers, Date.now());
  const wait = waitMs === undefined ? '' : ` Send it again in ${Math.ceil(waitMs / 1000)} s.`;
  try {
    const { code, message } = JSON.parse(text);
    const href = `#error-${code}`;
    if (typeof code === 'string') return [element('a', { href }, code), ` ${message}${wait}`];
  } catch {}
  return [wait];
}

const linesOf = (headers: Headers): string =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');

const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

/** Adds line breaks to JSON. Numbers keep their text. What is not JSON stays as it came, as all does in an old browser. */
function indented(text: string): string {
  const keep = (_name: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? rawJSON?.(source ?? '') : value;
  try {
    return rawJSON ? JSON.stringify(JSON.parse(text, keep), null, 2) : text;
  } catch {
    return text;
  }
}

function figure(title: string, text: string): HTMLElement {
  const shown = element('pre', { tabIndex: 0 }, element('code', {}, text));
  offerCopy(shown);
  return element('figure', {}, element('figcaption', {}, title), shown);
}
