import { waitFor } from '../sdk/src/attempt.ts';
import { showFailure, showReply, showRequest, showStream } from './exchange.ts';
import type { GivenKey } from './given-key.ts';
import { part } from './page.ts';
import { readRequest, renewCreationKey, showCommand } from './request.ts';

/** For a response, and for each part of a stream, which is never silent for so long. */
const TIMEOUT_MS = 35_000;

/** Says whether the API key may call the operation of a form. */
export function showWhetherAllowed(form: HTMLFormElement, key: GivenKey['accepted']): void {
  const { scope = '' } = form.dataset;
  const note = part(form, '.may');
  const lacks = scope !== '' && !key?.scopes?.includes(scope);
  note.hidden = key?.scopes === undefined;
  note.textContent = lacks ? `Your key lacks ${scope}.` : 'Your key may call this operation.';
  note.classList.toggle('bad', lacks);
}

/** Shows a form that sends its operation: one request each time that the user asks for it. */
export function offerSend(form: HTMLFormElement, key: GivenKey): void {
  const cancel = part(form, '.cancel');
  let sending: AbortController | undefined;
  form.hidden = false;
  renewCreationKey(form);
  showCommand(form);
  form.addEventListener('input', () => showCommand(form));
  cancel.addEventListener('click', () => sending?.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (sending !== undefined) return;
    if (key.accepted === undefined) return key.ask(part(form, '[type=submit]'));
    sending = new AbortController();
    await send(form, key.accepted.secret, sending.signal);
    sending = undefined;
    cancel.hidden = true;
    showCommand(form);
  });
}

async function send(form: HTMLFormElement, key: string, signal: AbortSignal): Promise<void> {
  let isSent = false;
  try {
    const request = readRequest(form, key);
    const { url, init } = request;
    if (init.method === 'DELETE' && !(await confirmed(`DELETE ${new URL(url).pathname}`))) return;
    showRequest(form, request);
    part(form, '.cancel').hidden = false;
    isSent = true;
    const startMs = performance.now();
    const exchange = new AbortController();
    const within = <T>(work: () => Promise<T>) =>
      waitFor(work, { timeoutMs: TIMEOUT_MS, signal }, {}, exchange);
    const response = await within(() => fetch(url, { ...init, signal: exchange.signal }));
    const ms = Math.round(performance.now() - startMs);
    if (response.body && /^text\/event-stream/i.test(response.headers.get('Content-Type') ?? '')) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const read = async () => (await within(() => reader.read())).value;
      return await showStream(form, response, ms, read);
    }
    showReply(form, response, await within(() => response.text()), ms);
    // A failure may hide a creation, and a refusal has created nothing. Both can be sent again with the same key.
    if (response.ok) renewCreationKey(form);
  } catch (failure) {
    showFailure(form, failure, isSent);
  }
}

/** Asks before a request that removes something. The focus returns to where it was. */
function confirmed(request: string): Promise<boolean> {
  const dialog = part<HTMLDialogElement>(document, 'dialog');
  part(dialog, 'code').textContent = request;
  // Escape closes the dialog without an answer.
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => resolve(dialog.returnValue === 'send');
    dialog.addEventListener('close', answer, { once: true });
  });
}
