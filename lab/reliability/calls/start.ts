import { rmSync } from 'node:fs';
import { type Workplace, withService } from '../../../test/support/process.ts';
import { contentOf, inspect, problemsOf } from './judge.ts';
import { send } from './scenario.ts';
import { type Call, type Injection, readCalls, straceArguments } from './strace.ts';
import { copyDatabase, removeDatabase, serve, type Template } from './template.ts';

/** A refusal to start: status 1, and one sentence. There may be a line before it, about a check of the whole file. */
const REFUSAL =
  /^The service did not start \(exit status 1\): (?:animal-store: Checking all of [^\n]+\n)?animal-store: [^\n]+\.\n$/;

export interface Start {
  readonly calls: readonly Call[];
  readonly isHit: boolean;
  readonly isRefused: boolean;
  readonly problems: readonly string[];
}

/** Starts the service on a database with a full -wal while a call on one of its files fails, and then without a fault. */
export async function startWhile(
  place: Workplace,
  { path: template, content, key, steps }: Template,
  { calls, injection, files }: StartTrouble,
): Promise<Start> {
  const path = place.file('start.db');
  const output = place.file('calls');
  const problems: string[] = [];
  rmSync(output, { force: true });
  copyDatabase(template, path);
  const fates = steps.flat().map((change) => ({ change, fate: 'not sent' as const }));
  const judge = () => problemsOf(content, contentOf(path), fates);
  const paths = files.map((suffix) => `${path}${suffix}`);
  const options = { calls, injection };
  // -D: the service is the child, and strace its grandchild.
  const wrapper = ['strace', '-D', '-q', ...straceArguments(output, paths, options)];
  let isRefused = false;
  try {
    const service = await serve(path, wrapper);
    await withService(service, async () => void problems.push(...judge()));
  } catch (error) {
    isRefused = true;
    const message = error instanceof Error ? error.message : String(error);
    if (!REFUSAL.test(message)) problems.push(message);
  }
  await withService(await serve(path), async ({ origin }) => {
    problems.push(...judge().map((problem) => `at the next start: ${problem}`));
    const body = { name: 'later', categoryId: 1 };
    const { status } = await send(origin, key, { method: 'POST', path: '/pets', body });
    if (status !== 201) problems.push(`at the next start, an addition got ${status}`);
  });
  problems.push(...(await inspect(path)).problems);
  removeDatabase(path);
  const found = readCalls(output);
  const isHit = found.some(({ isInjected }) => isInjected);
  return { calls: found, isHit, isRefused, problems };
}

export interface StartTrouble {
  readonly calls: string;
  /** The ends of their names: '' is the database file. */
  readonly files: readonly string[];
  readonly injection?: Injection;
}
