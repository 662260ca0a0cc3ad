import { setTimeout as sleep } from 'node:timers/promises';
import type { Conversation, Step } from './conversations.ts';
import { isByRuntime, problemsOf, problemsOfAnswer } from './judge.ts';
import { RawConnection } from './raw-connection.ts';
import { CutOff, headerOf, Malformed } from './responses.ts';

/** A complete request without a response for this long hangs. */
const LIMIT_MS = 10_000;

/** Bytes that are no complete request may get no response. */
const SHORT_MS = 50;

export interface Verdict {
  /** Those sent in full. */
  readonly requests: number;
  /** Pipelined and half-closed requests among them that got no response. */
  readonly unanswered: number;
  /** By status. `closed` counts the connections that the server closed without a response. */
  readonly responses: readonly (number | 'closed')[];
  /** Sentences. */
  readonly problems: readonly string[];
}

/** Has a conversation with the server, and judges the responses. */
export async function converse(port: number, conversation: Conversation): Promise<Verdict> {
  const connection = new RawConnection(port);
  const { steps, kind, name } = conversation;
  const talk = new Talk(connection);
  const isAtOnce = kind === 'pipelined' || kind === 'half-closed';
  try {
    if (kind === 'in turn') await talk.inTurn(steps);
    else if (isAtOnce) await talk.atOnce(steps, kind === 'half-closed');
    else await talk.invalid(steps);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    talk.problems.push(`it received ${error.message}`);
  }
  if (kind !== 'in turn' && conversation.isReset) connection.reset();
  else connection.close();
  const { sent: requests, responses } = talk;
  const answered = responses.filter((response) => response !== 'closed').length;
  return {
    requests,
    unanswered: isAtOnce ? Math.max(0, requests - answered) : 0,
    responses,
    problems: talk.problems.map((problem) => `${name}: ${problem}`),
  };
}

class Talk {
  readonly problems: string[] = [];
  readonly responses: (number | 'closed')[] = [];
  /** The number of requests sent in full. */
  sent = 0;
  readonly #connection: RawConnection;

  constructor(connection: RawConnection) {
    this.#connection = connection;
  }

  async inTurn(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const { request } = step;
      await this.#send(step);
      const response = await this.#response(step, LIMIT_MS, false);
      if (typeof response === 'string') {
        this.problems.push(`${request.id} got no response: the connection is ${response}`);
        return;
      }
      this.responses.push(response.status);
      this.problems.push(...(await problemsOfAnswer(request, response)));
      if (response.isStream || mayClose(step, headerOf(response, 'connection'))) return;
    }
    const { unread } = this.#connection;
    if (unread.length > 0) this.problems.push(`it received more than responses: ${unread}`);
  }

  /** Responses come in the order of the requests. Instead of one, the connection may close. */
  async atOnce(steps: readonly Step[], isHalfClosed: boolean): Promise<void> {
    for (const step of steps) await this.#send(step);
    if (isHalfClosed) this.#connection.halfClose();
    for (const step of steps) {
      const { request } = step;
      const response = await this.#response(step, LIMIT_MS, step !== steps.at(-1));
      if (response === 'silent') this.problems.push(`${request.id} hangs`);
      if (typeof response === 'string') {
        if (response === 'closed') this.responses.push(response);
        return;
      }
      this.responses.push(response.status);
      if (isByRuntime(response)) return this.#refused();
      this.problems.push(...(await problemsOfAnswer(request, response)));
      if (response.isStream || mayClose(step, headerOf(response, 'connection'))) return;
    }
  }

  /** At most one response for each request. A refusal is the last one, and ends the connection. */
  async invalid(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#send(step);
    const ids = new Set<string | undefined>();
    for (;;) {
      const response = await this.#response(steps[ids.size], SHORT_MS, true);
      if (typeof response === 'string') {
        if (response === 'closed') this.responses.push(response);
        return;
      }
      this.responses.push(response.status);
      this.problems.push(...problemsOf(response));
      if (isByRuntime(response)) return this.#refused();
      const id = headerOf(response, 'x-request-id');
      if (ids.has(id)) this.problems.push(`it received two responses to ${id}`);
      ids.add(id);
      if (ids.size > steps.length) {
        this.problems.push(`it received ${ids.size} responses to ${steps.length} requests`);
        return;
      }
      if (response.isStream) return;
    }
  }

  /** After a refusal of the runtime, no response follows, and the connection ends. */
  async #refused(): Promise<void> {
    const next = await this.#connection.response(false, LIMIT_MS);
    if (next === 'silent') this.problems.push('the connection is open after a refusal');
    else if (next !== 'closed')
      this.problems.push(`it received a response with ${next.status} after a refusal`);
  }

  /**
   * Reads the response to a step. If the runtime closes the connection at bytes that follow, the response that is being
   * sent may be cut off: this is `closed`, too.
   */
  async #response(step: Step | undefined, limitMs: number, mayBeCutOff: boolean) {
    try {
      return await this.#connection.response(step?.request.method === 'HEAD', limitMs);
    } catch (error) {
      if (error instanceof CutOff && mayBeCutOff) return 'closed';
      throw error;
    }
  }

  async #send({ pieces, pauseMs }: Step): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && pauseMs > 0) await sleep(pauseMs);
      this.#connection.send(piece);
    }
    if (!this.#connection.isClosed) this.sent += 1;
  }
}

const mayClose = ({ request }: Step, answered = ''): boolean =>
  /close/i.test(answered) || request.headers.some((header) => /^connection: close/i.test(header));
