import { RawConnection } from '../fuzz/raw-connection.ts';
import type { Known } from '../fuzz/requests.ts';
import { headerOf } from '../fuzz/responses.ts';
import { bytesOf, type Case, readCorpus } from './parse.ts';

/** All requests of the corpus. */
export const REQUESTS: readonly Case[] = [
  'queries.txt',
  'paths.txt',
  'bodies.txt',
  'headers.txt',
  'messages.txt',
].flatMap(readCorpus);

const LIMIT_MS = 10_000;

/** The bytes of a request. A template `raw` takes the input alone. Others get a Host, the key and a length. */
function messageOf({ template, input }: Case, values: Readonly<Record<string, string>>): Buffer {
  if (template[0] === 'raw') return bytesOf(input, values);
  const lines = template.map((line) => line.replaceAll('…', input));
  const end = lines.includes('') ? lines.indexOf('') : lines.length;
  const [requestLine, ...headers] = lines.slice(0, end);
  const body = end < lines.length ? bytesOf(lines.slice(end + 1).join('\n'), values) : undefined;
  const has = (name: string) => headers.some((header) => header.startsWith(`${name}:`));
  const head = [
    `${requestLine} HTTP/1.1`,
    ...(has('Host') ? [] : ['Host: x']),
    ...(has('Authorization') ? [] : ['Authorization: Bearer ‹key›']),
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ...headers.filter((header) => header !== 'Authorization:'),
  ];
  const bytes = head.map((line) => bytesOf(`${line}‹crlf›`, values));
  return Buffer.concat([...bytes, bytesOf('‹crlf›'), body ?? Buffer.alloc(0)]);
}

/**
 * Sends a request of the corpus.
 * @returns the answer as the corpus has it: status, error code, message; status and body of a success; `(closed)`
 */
async function answerTo(
  port: number,
  request: Case,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const message = messageOf(request, values);
  const connection = new RawConnection(port);
  connection.send(message);
  const isHead = message.toString('latin1', 0, 5) === 'HEAD ';
  const response = await connection.response(isHead, LIMIT_MS);
  connection.close();
  if (typeof response === 'string') return `(${response})`;
  const { status, body } = response;
  if (status < 400) return `${status} ${body}`;
  if (body.length === 0) return isHead ? `${status}` : `${status} (empty)`;
  const { code, message: text } = JSON.parse(body.toString());
  const allowed = headerOf(response, 'allow');
  return `${status} ${code}: ${text}${allowed === undefined ? '' : ` (Allow: ${allowed})`}`;
}

/** Whether an answer has the expected status, and contains the rest. */
export function isExpected(answer: string, expected: string): boolean {
  const [, status = '', rest = ''] = /^(\S+) ?(.*)$/.exec(expected) ?? [];
  return answer.startsWith(status) && answer.includes(rest);
}

/** Sends requests of the corpus, by default all, in their order. Returns a sentence for each other answer than the expected one. */
export async function sendCorpus(
  port: number,
  known: Known,
  requests: readonly Case[] = REQUESTS,
): Promise<string[]> {
  const [key, reader] = known.keys;
  const { etag, cursor, event } = known;
  const problems: string[] = [];
  for (const request of requests) {
    const answer = await answerTo(port, request, { key, reader, etag, cursor, event });
    if (!isExpected(answer, request.expected))
      problems.push(`${request.at}: ${request.input.slice(0, 200)}: ${answer.slice(0, 500)}`);
  }
  return problems;
}
