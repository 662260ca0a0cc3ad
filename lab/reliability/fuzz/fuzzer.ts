import type { Random } from '../../../test/support/random.ts';
import { type Conversation, conversationOf } from './conversations.ts';
import { converse } from './converse.ts';
import { keepConversation, withoutKeys } from './kept-conversation.ts';
import type { Known } from './requests.ts';

export interface FuzzOptions {
  readonly port: number;
  readonly known: Known;
  readonly random: Random;
  /** Keeps each conversation with a problem in a file. */
  readonly keeps?: boolean;
  /** Ends when this many requests were sent, or at this time of `performance.now()`. */
  readonly requests?: number;
  readonly untilMs?: number;
  readonly connections: number;
  readonly onProgress?: (found: Fuzzed) => void;
}

export interface Fuzzed {
  readonly seed: number;
  conversations: number;
  /** Those sent in full. Each is judged. */
  requests: number;
  /** Pipelined and half-closed requests among them that got no response. */
  unanswered: number;
  /** The number of responses by status, and of connections that closed without one. */
  readonly responses: Map<number | 'closed', number>;
  /** A line for each conversation with a problem. */
  readonly problems: string[];
}

/** More problems repeat the first ones. */
const MAX_PROBLEMS = 20;

/** With the name of a file, a line has at most 200 characters. */
const MAX_LINE = 135;

/** Has conversations with a service until enough requests were sent, or too many problems found. */
export async function fuzz(options: FuzzOptions): Promise<Fuzzed> {
  const { port, known, random, connections } = options;
  const { requests = Number.POSITIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = options;
  const seed = Math.floor(random() * 2 ** 31);
  const found: Fuzzed = {
    ...{ seed, conversations: 0, requests: 0, unanswered: 0 },
    ...{ responses: new Map(), problems: [] },
  };
  const isOver = () =>
    found.requests >= requests ||
    found.problems.length >= MAX_PROBLEMS ||
    performance.now() >= untilMs;
  const lineOf = (conversation: Conversation, problems: readonly string[]): string => {
    const line = withoutKeys(problems[0] ?? '').slice(0, MAX_LINE);
    return options.keeps ? `${line} (${keepConversation(conversation, problems)})` : line;
  };
  const converseInTurn = async () => {
    while (!isOver()) {
      found.conversations += 1;
      const conversation = conversationOf(seed, found.conversations, known);
      const {
        requests: sent,
        unanswered,
        responses,
        problems,
      } = await converse(port, conversation);
      found.requests += sent;
      found.unanswered += unanswered;
      if (problems.length > 0) found.problems.push(lineOf(conversation, problems));
      for (const response of responses)
        found.responses.set(response, (found.responses.get(response) ?? 0) + 1);
      if (found.conversations % 10_000 === 0) options.onProgress?.(found);
    }
  };
  await Promise.all(Array.from({ length: connections }, converseInTurn));
  return found;
}
