import type { Sent } from './record.ts';

/** The line of the trace on which each response began, by the id of its request. */
export function responsesIn(sent: readonly Sent[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { line, text } of sent)
    for (const [, requestId = ''] of text.matchAll(/^x-request-id: (\S+)/gim))
      if (!lines.has(requestId)) lines.set(requestId, line);
  return lines;
}

/** The line on which a message began. Infinite if it was never written. */
export const lineOf = (sent: readonly Sent[], message: string): number =>
  sent.find(({ text }) => text.includes(message))?.line ?? Number.POSITIVE_INFINITY;
