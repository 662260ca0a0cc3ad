import { inspect } from 'node:util';

/** More causes than an error of this service has, so that a circle of causes ends. */
const MAX_CAUSES = 8;

/**
 * The message of an error, followed by the messages of its causes. Errors often repeat the message of their
 * cause: a text that is already there is left out.
 */
export function messageOf(error: unknown): string {
  let text = '';
  for (const { message } of causesOf(error)) {
    const addition = message.replace(/\.$/, '');
    if (text.includes(addition)) continue;
    text = text === '' ? message : `${text.replace(/\.$/, '')}: ${message}`;
  }
  return text;
}

/** The stack trace of an error, followed by the stack traces of its causes. Each message is in it once. */
export function stackTraceOf(error: Error): string {
  let messages = '';
  const traces: string[] = [];
  for (const one of causesOf(error)) {
    const frames = (one.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    const isKnown = messages.includes(one.message.replace(/\.$/, ''));
    messages += `${one.message}\n`;
    traces.push([isKnown ? one.name : `${one.name}: ${one.message}`, ...frames].join('\n'));
  }
  return traces.join('\ncaused by: ');
}

/** The short name of a failure. A `StorageError` has one, as have errors of the system and the engine. */
export function failureOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { failure, code } = error as { failure?: unknown; code?: unknown };
  const name = failure ?? code;
  return typeof name === 'string' ? name : undefined;
}

/** A sentence about the system call that failed, such as to open one file too many. Undefined for other errors. */
export const systemFailureOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error
    ? `A system call failed: ${error.message}.`
    : undefined;

/** The error, its cause, the cause of that, and so on. Of several causes (`AggregateError`) all. */
function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  const waiting = [error];
  while (waiting.length > 0 && found.length < MAX_CAUSES) {
    const next = waiting.shift();
    if (next === undefined || next === null) continue;
    if (!(next instanceof Error)) {
      found.push(new Text(next));
      continue;
    }
    found.push(next);
    waiting.push(...(next instanceof AggregateError ? next.errors : []), next.cause);
  }
  return found;
}

/** A thrown value that is not an error. */
class Text extends Error {
  constructor(value: unknown) {
    super(typeof value === 'string' ? value : inspect(value));
    this.stack = '';
  }
}
