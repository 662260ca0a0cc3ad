import { type CheckedRequest, REQUESTS, type ReceivedResponse, send } from './checked-requests.ts';
import { bearer, type PathName, type RunningServer } from './server.ts';
import type { WorkloadName } from './workload-names.ts';

/**
 * Compares a server with ours: status and body of the responses to the same requests. JSON must be
 * equal except for white space.
 * @returns a sentence for each difference that its entry does not declare.
 */
export async function differences(ours: RunningServer, other: RunningServer): Promise<string[]> {
  if (other.entry.measure !== undefined) return [];
  if (other.entry.kind === 'limit') return differencesOfLimit(ours, other);
  const found: string[] = [];
  const { knownDifferences } = other.entry;
  for (const request of REQUESTS) {
    if (knownDifferences.some(({ requests }) => requests.test(request.name))) continue;
    const expected = await send(ours, request);
    const actual = await send(other, request);
    const difference = compare(request, expected, actual);
    if (difference !== undefined) found.push(`${request.name}: ${difference}`);
  }
  return [...found, ...(await differencesOfLists(ours, other))];
}

function compare(
  { compare: kind }: CheckedRequest,
  expected: ReceivedResponse,
  actual: ReceivedResponse,
) {
  if (actual.status !== expected.status)
    return `status ${actual.status} instead of ${expected.status}.`;
  if (kind === 'error') {
    return isError(actual) ? undefined : `the body is not an Error: ${shorten(actual.body)}`;
  }
  const render = kind === 'created' ? withoutId : plain;
  return render(actual.body) === render(expected.body)
    ? undefined
    : `${shorten(actual.body)} instead of ${shorten(expected.body)}`;
}

const plain = (json: string): string => JSON.stringify(parse(json));

/** The body of a creation, with a placeholder instead of the id, which must be a whole number. */
function withoutId(json: string): string {
  const pet = parse(json);
  return JSON.stringify({ ...pet, id: Number.isSafeInteger(pet?.['id']) ? 'assigned' : 'none' });
}

function isError({ status, body }: ReceivedResponse): boolean {
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

/** The measured lists, with the workloads that measure them. */
const TIMED_LISTS: readonly { list: PathName; measuredBy: readonly WorkloadName[] }[] = [
  { list: 'hotList', measuredBy: ['hot-list'] },
  { list: 'hotList100', measuredBy: ['hot-list-100'] },
  { list: 'coldList', measuredBy: ['cold-list', 'pg-list'] },
  { list: 'coldList100', measuredBy: ['cold-list-100'] },
];

/** Compares the measured lists. Each server gets the request in its own form. */
async function differencesOfLists(ours: RunningServer, other: RunningServer): Promise<string[]> {
  const { workloads, knownDifferences } = other.entry;
  const found: string[] = [];
  for (const { list, measuredBy } of TIMED_LISTS) {
    const isTimed = measuredBy.some((workload) => workloads.includes(workload));
    if (!isTimed || knownDifferences.some(({ requests }) => requests.test(list))) continue;
    const [expected, actual] = await Promise.all(
      [ours, other].map(async ({ origin, paths, entry, key }) => {
        const url = origin + paths[list].replace('@', entry.page[1](SOME_ANIMAL));
        return (await fetch(url, { headers: bearer(key) })).text();
      }),
    );
    const isSame = plain(expected ?? '') === plain(actual ?? '');
    if (!isSame) found.push(`${list}: ${shorten(actual ?? '')}`);
  }
  return found;
}

const SOME_ANIMAL = 54_321;

/** A limit must send the same bytes as ours: body and headers, except those that differ with each response. */
async function differencesOfLimit(ours: RunningServer, limit: RunningServer): Promise<string[]> {
  const requests = LIMIT_REQUESTS.filter(({ workload }) =>
    limit.entry.workloads.includes(workload),
  );
  const found = requests.map(async ({ workload, path, init }) => {
    const [expected, actual] = await Promise.all(
      [ours, limit].map(({ origin, paths, key }) =>
        fetch(origin + paths[path], { ...init, headers: { ...bearer(key), ...JSON_CONTENT } }),
      ),
    );
    if (expected === undefined || actual === undefined) return [];
    const differences = await differencesOfResponse(expected, actual);
    return differences.map((difference) => `${workload}: ${difference}`);
  });
  return (await Promise.all(found)).flat();
}

const JSON_CONTENT = { 'Content-Type': 'application/json' };

const LIMIT_REQUESTS = [
  { workload: 'hot-list', path: 'hotList', init: {} },
  { workload: 'hot-list-100', path: 'hotList100', init: {} },
  {
    workload: 'create-32',
    path: 'create',
    init: { method: 'POST', body: '{"name":"Check","categoryId":7,"status":"sold"}' },
  },
  {
    workload: 'create-32',
    path: 'create',
    init: { method: 'POST', body: '{"name":"Søren","categoryId":50}' },
  },
] as const;

async function differencesOfResponse(expected: Response, actual: Response): Promise<string[]> {
  const ignored = expected.status === 201 ? [...VARYING, ...VARYING_OF_CREATION] : VARYING;
  const found = [...expected.headers]
    .filter(([name, value]) => !ignored.includes(name) && actual.headers.get(name) !== value)
    .map(([name]) => `header ${name}: ${actual.headers.get(name)}.`);
  const render = expected.status === 201 ? withoutId : plain;
  const isSame = render(await expected.text()) === render(await actual.text());
  return isSame && actual.status === expected.status
    ? found
    : [...found, 'the response differs from ours.'];
}

/** Headers whose values may differ. */
const VARYING = ['date', 'x-request-id', 'connection', 'keep-alive'];
/** They name the new animal. */
const VARYING_OF_CREATION = ['location', 'etag'];
