import { type Answer, ask, type CheckedRequest, REQUESTS } from './requests-of-check.ts';
import { bearer, type RunningServer } from './server.ts';

/**
 * Compares a server with ours: the same requests, status and body of the answers. JSON is compared
 * to the character but for white space.
 * @returns a sentence for each difference that its entry does not declare.
 */
export async function differences(ours: RunningServer, other: RunningServer): Promise<string[]> {
  if (other.entry.measure !== undefined) return [];
  if (other.entry.kind === 'limit') return differencesOfLimit(ours, other);
  const found: string[] = [];
  const { differs } = other.entry;
  for (const request of REQUESTS) {
    if (differs.some(({ requests }) => requests.test(request.name))) continue;
    const wanted = await ask(ours, request);
    const given = await ask(other, request);
    const difference = compare(request, wanted, given);
    if (difference !== undefined) found.push(`${request.name}: ${difference}`);
  }
  return [...found, ...(await differencesOfLists(ours, other))];
}

function compare({ compare: kind }: CheckedRequest, wanted: Answer, given: Answer) {
  if (given.status !== wanted.status) return `status ${given.status} instead of ${wanted.status}.`;
  if (kind === 'error') {
    return isError(given) ? undefined : `the body is no Error: ${shorten(given.body)}`;
  }
  const render = kind === 'created' ? withoutId : plain;
  return render(given.body) === render(wanted.body)
    ? undefined
    : `${shorten(given.body)} instead of ${shorten(wanted.body)}`;
}

const plain = (json: string): string => JSON.stringify(parse(json));

/** A creation's body, with a mark instead of the id, which must be a whole number. */
function withoutId(json: string): string {
  const pet = parse(json);
  return JSON.stringify({ ...pet, id: Number.isSafeInteger(pet?.['id']) ? 'assigned' : 'none' });
}

function isError({ status, body }: Answer): boolean {
  const error = parse(body);
  return (
    typeof error?.['code'] === 'string' &&
    typeof error['message'] === 'string' &&
    error['status'] === status &&
    Object.keys(error).length === 3
  );
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
};

/** The lists that are timed, and the works that time them. */
const TIMED_LISTS = {
  hotList: ['hot-list'],
  coldList: ['cold-list', 'pg-list'],
} as const;

/** Compares the lists that are timed, each asked for as the server wants it. */
async function differencesOfLists(ours: RunningServer, other: RunningServer): Promise<string[]> {
  const { works, differs } = other.entry;
  const found: string[] = [];
  for (const list of ['hotList', 'coldList'] as const) {
    const isTimed = TIMED_LISTS[list].some((work) => works.includes(work));
    if (!isTimed || differs.some(({ requests }) => requests.test(list))) continue;
    const [wanted, given] = await Promise.all(
      [ours, other].map(async ({ origin, paths, entry, key }) => {
        const url = origin + paths[list].replace('@', entry.page[1](SOME_ANIMAL));
        return (await fetch(url, { headers: bearer(key) })).text();
      }),
    );
    const isSame = plain(wanted ?? '') === plain(given ?? '');
    if (!isSame) found.push(`${list}: ${shorten(given ?? '')}`);
  }
  return found;
}

const SOME_ANIMAL = 54_321;

/** A limit answers as ours to the byte: body and headers, apart from what servers add by themselves. */
async function differencesOfLimit(ours: RunningServer, limit: RunningServer): Promise<string[]> {
  const [wanted, given] = await Promise.all(
    [ours, limit].map(async ({ origin, paths, key }) =>
      fetch(origin + paths.hotList, { headers: bearer(key) }),
    ),
  );
  if (wanted === undefined || given === undefined) return [];
  const found = [...wanted.headers]
    .filter(([name, value]) => !VARYING.has(name) && given.headers.get(name) !== value)
    .map(([name]) => `header ${name}: ${given.headers.get(name)}.`);
  const isSame = (await wanted.text()) === (await given.text());
  return isSame && given.status === wanted.status ? found : [...found, 'another answer than ours.'];
}

const VARYING = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);
