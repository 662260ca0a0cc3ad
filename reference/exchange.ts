import { isUnclearResponse, readRetryAfterMs } from '../sdk/src/retries.ts';
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

/** Shows a response with the text of its body. */
export function showReply(form: HTMLFormElement, response: Response, text: string, ms: number) {
  const { status, statusText, headers, ok } = response;
  const outcome = `${status} ${statusText} after ${ms} ms. `;
  say(form, ok ? outcome : [outcome, ...problemOf(form, response, text)], !ok);
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
  showReply(form, response, 'Waiting for events…', ms);
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

/** What the error of a response means, when to send the request again, and whether it may have been executed. */
function problemOf(form: HTMLFormElement, { status, headers }: Response, text: string) {
  const waitMs = readRetryAfterMs(headers, Date.now());
  const wait = waitMs === undefined ? '' : ` Send it again in ${Math.ceil(waitMs / 1000)} s.`;
  const unclear = (code?: string) =>
    isUnclearResponse({ status, code }) ? unclearOutcomeOf(form) : '';
  try {
    const { code, message } = JSON.parse(text);
    const link = element('a', { href: `#error-${code}` }, code);
    if (typeof code === 'string') return [link, ` ${message}${wait}`, unclear(code)];
  } catch {}
  return [wait, unclear()];
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
