/** A fault in the message of a 400: the path of the value, and what is wrong with it. */
export interface ParsedFault {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

const NAME = String.raw`(?:[A-Za-z0-9_]+|"(?:[^"\\]|\\.)*")`;
const PATH = new RegExp(String.raw`^${NAME}(?:\.${NAME}|\[\d+\])*(?=: )`);
const PARTS = new RegExp(String.raw`\[(\d+)\]|${NAME}`, 'g');

/**
 * Parses a message by the grammar of docs/errors.md. @returns the faults, and the number of those that it leaves out
 * @throws Error if the message does not follow the grammar
 */
export function parseFaults(message: string): { faults: ParsedFault[]; more: number } {
  const faults: ParsedFault[] = [];
  for (let rest = message; ; ) {
    const more = /^and ([1-9]\d*) more$/.exec(rest)?.[1];
    if (more !== undefined && faults.length > 0) return { faults, more: Number(more) };
    const [path, afterPath] = parsePath(rest);
    const [text = '', ...others] = afterPath.split('; ');
    if (text === '') throw new Error(`There is no text after a path in ${message}`);
    faults.push({ path, text });
    if (others.length === 0) return { faults, more: 0 };
    rest = others.join('; ');
  }
}

/** Returns a path, and the text after its colon. */
function parsePath(text: string): [path: (string | number)[], rest: string] {
  const [path] = PATH.exec(text) ?? [];
  if (path === undefined) throw new Error(`There is no path at ${text}`);
  const parts = [...path.matchAll(PARTS)].map(([name, index]) => {
    if (index !== undefined) return Number(index);
    return name.startsWith('"') ? (JSON.parse(name) as string) : name;
  });
  return [parts, text.slice(path.length + 2)];
}
