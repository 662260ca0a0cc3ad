/** What a stream of server-sent events has said so far. */
export interface StreamPosition {
  /** The id of the last event. */
  lastId?: string;
  /** How long to wait before the stream is opened again. */
  retryMs?: number;
}

/**
 * Returns a parser of the chunks of one response (HTML Standard, 9.2.6). It yields the data of each event that is complete,
 * and has then noted its id in `position`.
 */
export function eventParser(
  position: StreamPosition,
): (chunk: Uint8Array) => Generator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let data = '';
  let id: string | undefined;
  /** Returns the data of the event that the line completes. */
  const readLine = (line: string): string | undefined => {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray;
    if (field === 'data') data += `${value}\n`;
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) position.retryMs = Number(value);
    if (line !== '') return undefined;
    if (id !== undefined) position.lastId = id;
    const event = data;
    data = '';
    // An event without data is none.
    return event === '' ? undefined : event.slice(0, -1);
  };
  return function* (chunk) {
    // A CR at the end may be the first half of a line break.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() as string;
    for (const line of lines) {
      const event = readLine(line);
      if (event !== undefined) yield event;
    }
  };
}
