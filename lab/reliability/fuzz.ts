import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { createKey } from '../../test/support/create-key.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  animalStore,
  commandOf,
  parseLog,
  type RunningService,
  startCommand,
  until,
  type Workplace,
  withService,
  workplace,
} from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { startFaultyProxy } from './fuzz/faulty-proxy.ts';
import { HIDDEN_PET } from './fuzz/framing.ts';
import { type Fuzzed, fuzz } from './fuzz/fuzzer.ts';
import { prepare } from './fuzz/known.ts';
import type { Known } from './fuzz/requests.ts';
import type { Steady } from './fuzz/steady-client.ts';
import { type Usage, usageOf } from './fuzz/watch-process.ts';
import { type Control, controlOfAll, type Outcome, type Trial } from './trial.ts';

const MINUTES = 10;
const CALM_SECONDS = 20;
const CONNECTIONS = 16;

/** Of one process. The first minute fills caches. */
const MAX_MEMORY_MIB = 400;

/** Of a client that behaves well. Its usual p99 is a few milliseconds, and a load on the machine may multiply it. */
const MAX_P99_MS = 250;

/** One of this many responses is spoiled in the control. */
const SPOILED = 200;

/** Measures the waiting times of a client that behaves well during `work`. */
async function besideSteadyClient<T>(
  origin: string,
  key: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly steady: Steady }> {
  const program = join(import.meta.dirname, 'fuzz/steady-client.ts');
  const client = spawnGuarded([process.execPath, program, origin, key], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const result = await work();
  client.stdin.end();
  return { result, steady: JSON.parse(await new Response(client.stdout).text()) };
}

/** Samples what the service uses until `work` ends. */
async function watching<T>(
  pid: number,
  work: Promise<T>,
): Promise<{ result: T; samples: Usage[] }> {
  const samples: Usage[] = [];
  const timer = setInterval(() => samples.push(usageOf(pid)), 1_000);
  const result = await work.finally(() => clearInterval(timer));
  return { result, samples };
}

/** What is wrong with the database after the service has stopped. */
async function problemsAfter({ database }: Workplace, service: RunningService): Promise<string[]> {
  const { status, stdout } = await service.stop();
  const check = await animalStore(['check', '--database', database]);
  const errors = parseLog(stdout).filter(({ severity_text: severity }) => severity === 'ERROR');
  return [
    ...(status === 0 ? [] : [`the service ended with status ${status}`]),
    ...errors.slice(0, 5).map((line) => `the log has an error: ${JSON.stringify(line)}`),
    ...(check.status === 0 ? [] : [`check found: ${check.stdout}${check.stderr}`]),
  ];
}

async function hasHiddenPet(origin: string, key: string): Promise<boolean> {
  const { categoryId } = JSON.parse(HIDDEN_PET);
  const response = await fetch(`${origin}/v1/pets?categoryId=${categoryId}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return (await response.text()) !== '[]';
}

const rounded = (ms: number): string => `${ms.toFixed(1)} ms`;

const describeResponses = ({ responses }: Fuzzed): string =>
  [...responses]
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

/** Fuzzes a service behind a proxy that spoils responses. Both kinds of faults must be found. */
async function tryControl(port: number, known: Known, random: Random): Promise<Control> {
  const proxy = await startFaultyProxy(port, SPOILED);
  const { problems } = await fuzz({
    ...{ port: proxy.port, known, random, connections: CONNECTIONS, requests: 16 * SPOILED },
  });
  proxy.close();
  return controlOfAll(
    `one of ${SPOILED} responses is replaced by 500 or by the end of the connection (${problems.length} of ${proxy.spoiled()} were found: the connection may end after pipelined, half-closed or invalid requests)`,
    [/the status is 500/, /got no response: the connection is closed/].map((names) =>
      problems.find((problem) => names.test(problem)),
    ),
  );
}

async function fuzzService(
  place: Workplace,
  workers: number,
  { random, report }: Parameters<Trial['run']>[0],
): Promise<Outcome> {
  const { database } = place;
  const key = await createKey(database, SCOPES);
  const steadyKey = await createKey(database, SCOPES);
  const flags = ['--port', '0', '--workers', String(workers), '--log-level', 'warn'];
  const limitMs = (MINUTES + 5) * 60_000;
  const service = await startCommand(commandOf('serve', '--database', database, ...flags), {
    showsKey: false,
    limitMs,
  });
  return withService(service, async ({ origin, pid }) => {
    const known = await prepare(origin, key);
    const port = Number(new URL(origin).port);
    const calm = await besideSteadyClient(origin, steadyKey, () => sleep(CALM_SECONDS * 1_000));
    const before = usageOf(pid);
    const untilMs = performance.now() + MINUTES * 60_000;
    const { result, steady } = await besideSteadyClient(origin, steadyKey, () =>
      watching(
        pid,
        fuzz({
          port,
          known,
          random,
          untilMs,
          connections: CONNECTIONS,
          onProgress: ({ requests, problems }) =>
            report(`${requests} requests, ${problems.length} failures`),
        }),
      ),
    );
    const { result: fuzzed, samples } = result;
    const failures = [...fuzzed.problems];
    const memory = Math.max(...samples.map(({ memoryMib }) => memoryMib));
    if (memory > MAX_MEMORY_MIB) failures.push(`a process used ${memory} MiB`);
    if (steady.p99Ms > MAX_P99_MS)
      failures.push(`the p99 of a client that behaves well was ${rounded(steady.p99Ms)}`);
    const isBack = () => usageOf(pid).sockets <= before.sockets;
    await until(isBack).catch(() =>
      failures.push(`${usageOf(pid).sockets} sockets are open, ${before.sockets} were before`),
    );
    for (const failure of [...calm.steady.failures, ...steady.failures])
      failures.push(`a client that behaves well got ${failure}`);
    if (await hasHiddenPet(origin, key)) failures.push('a request in a body was executed');
    const control = await tryControl(port, known, random);
    failures.push(...(await problemsAfter(place, service)));
    return {
      trials: fuzzed.requests,
      failures,
      control,
      figures: {
        conversations: fuzzed.conversations,
        'pipelined or half-closed requests without a response': fuzzed.unanswered,
        responses: describeResponses(fuzzed),
        [`most memory of a process (limit ${MAX_MEMORY_MIB} MiB)`]: `${memory} MiB`,
        'most open sockets': Math.max(...samples.map(({ sockets }) => sockets)),
        [`wait of a client that behaves well, median and p99 (limit of the p99: ${MAX_P99_MS} ms)`]: `${rounded(steady.p50Ms)}, ${rounded(steady.p99Ms)}`,
        'its wait before, median and p99': `${rounded(calm.steady.p50Ms)}, ${rounded(calm.steady.p99Ms)}`,
      },
    };
  });
}

const trialWith = (workers: number, processes: string): Trial => ({
  promise: `No request makes ${processes} fail, hang, or answer another request.`,
  method:
    'Random requests by a grammar of HTTP/1.1 and of all operations: mutated parameters, headers and bodies, chunks, pipelines, splits at any byte, pauses, half-closed and reset connections, ambiguous lengths, broken bytes. A request that is sent alone must get its own response, as HTTP and the OpenAPI document allow, and never a 5xx. In place of the response to a pipelined or half-closed request, the connection may end. After invalid bytes, each complete request may get one response; a refusal is the last one, and ends the connection. A client that behaves well must get every response, with a limited p99. Afterwards, the requests that bodies contain must not have been executed, `check` must find nothing, and all sockets must be closed.',
  unit: 'requests',
  isRandomSample: true,
  tools: [],
  limitMinutes: 20,
  async run(options): Promise<Outcome> {
    using place = workplace();
    return await fuzzService(place, workers, options);
  },
});

/** Random requests on raw sockets. */
export const FUZZ_TRIALS: Readonly<Record<string, Trial>> = {
  'fuzz-process': trialWith(1, 'one process'),
  'fuzz-workers': trialWith(2, 'two workers'),
};
