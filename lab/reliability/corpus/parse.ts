import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A case of the corpus: what is sent or run, and what must come back. */
export interface Case {
  /** The file and the line, for the failure. */
  readonly at: string;
  /** The lines below `==`. Each case takes the place of `…` in them. */
  readonly template: readonly string[];
  readonly input: string;
  readonly expected: string;
}

const ARROW = ' → ';

/**
 * Reads a file of cases. A line that begins with `==` begins a group: the lines up to `--` are its template. Each other line
 * is a case: its input, an arrow, its expected answer. A line that begins with `#` is a comment.
 */
export function readCorpus(name: string): Case[] {
  const cases: Case[] = [];
  let template: string[] = [];
  let isTemplate = false;
  for (const [index, line] of readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .entries()) {
    const at = `${name}:${index + 1}`;
    if (line.startsWith('== ')) {
      template = [line.slice(3)];
      isTemplate = true;
    } else if (line === '--') isTemplate = false;
    else if (isTemplate) template.push(line);
    else if (line !== '' && !line.startsWith('#')) cases.push(caseOf(at, template, line));
  }
  return cases;
}

function caseOf(at: string, template: readonly string[], line: string): Case {
  const arrow = line.lastIndexOf(ARROW);
  if (arrow === -1) throw new Error(`${at} has no arrow`);
  const [input, expected] = [line.slice(0, arrow), line.slice(arrow + ARROW.length)];
  return { at, template, input: input === '‹›' ? '' : input, expected };
}

/**
 * The bytes of a text: `‹ff 00›` are bytes, `‹ab*3›` is `ababab`, `‹crlf›` ends a line, other names in these brackets
 * are values.
 */
export function bytesOf(text: string, values: Readonly<Record<string, string>> = {}): Buffer {
  const parts = text.split(/‹([^›]*)›/).map((part, index) => {
    if (index % 2 === 0) return Buffer.from(part);
    if (part === 'crlf') return Buffer.from('\r\n');
    if (/^[0-9a-f]{2}(?: [0-9a-f]{2})*$/.test(part))
      return Buffer.from(part.replaceAll(' ', ''), 'hex');
    const [, repeated, times] = /^(.+)\*(\d+)$/s.exec(part) ?? [];
    if (repeated !== undefined) return Buffer.from(repeated.repeat(Number(times)));
    const value = values[part];
    if (value === undefined) throw new Error(`‹${part}› is not known`);
    return Buffer.from(value);
  });
  return Buffer.concat(parts);
}
