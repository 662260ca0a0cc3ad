import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../../test/process/children.ts';
import { startService, until } from '../../test/support/process.ts';
import {
  CLIENTS,
  type Disturbed,
  type Left,
  MAX_UPTIME_MS,
  PauseWatch,
  type Scene,
  trialOfScene,
} from './disturbed-round.ts';
import type { Trial } from './trial.ts';

const ROUNDS = 100;
const WORKERS = 2;

/** A worker starts in less. */
const MAX_PAUSE_MS = 1_000;

/** Kills all processes of a service, the supervisor first or last. */
async function killAll({ service, random }: Disturbed): Promise<Left> {
  const workers = childrenOf(service.pid);
  const all = random() < 0.5 ? [service.pid, ...workers] : [...workers, service.pid];
  for (const pid of all) process.kill(pid, 'SIGKILL');
  await service.ended();
  return { isRunning: false };
}

/** Kills a worker. Resolves when another one has its place, and clients have responses again. */
async function killWorker({ service, random, told }: Disturbed): Promise<Left> {
  const workers = childrenOf(service.pid);
  const killed = workers[Math.floor(random() * workers.length)] as number;
  process.kill(killed, 'SIGKILL');
  const before = told.acknowledged;
  const watch = new PauseWatch(told);
  await until(() => {
    const now = childrenOf(service.pid);
    return now.length === WORKERS && !now.includes(killed);
  });
  await sleep(random() * MAX_UPTIME_MS);
  // The responses to requests of before the kill do not count.
  await until(() => told.acknowledged > before + CLIENTS);
  watch.stop();
  const now = childrenOf(service.pid);
  const othersRemain = workers.every((pid) => pid === killed || now.includes(pid));
  const pauseMs = watch.longestMs;
  return {
    isRunning: true,
    pauseMs,
    problems: [
      ...(othersRemain ? [] : ['another process ended, too']),
      ...(pauseMs > MAX_PAUSE_MS ? [`no response for ${Math.round(pauseMs)} ms`] : []),
    ],
  };
}

/** What is done and judged in each of these trials. */
export const KILL_METHOD =
  '16 clients add, change, order and remove animals, singly and in batches, settle orders, and create and revoke keys. The kill is at a random time within half a second after their first changes. Then all lists and all events must agree with the responses and with each other, batches must be whole, requests without a response that have an `Idempotency-Key` and are sent again must have one effect, and `check` must find nothing.';

const trialOf = (described: Pick<Trial, 'promise' | 'method'>, scene: Scene): Trial =>
  trialOfScene({ ...described, unit: 'kills', rounds: ROUNDS }, scene);

const withWorkers: Scene['start'] = ({ database }) =>
  startService(database, ['--log-level', 'error', '--workers', String(WORKERS)]);

/** `kill -9` of the service under load, on SQLite. */
export const KILLS: Readonly<Record<string, Trial>> = {
  kill: trialOf(
    {
      promise: 'What the service acknowledged survives `kill -9`.',
      method: 'The service is killed, and started again.',
    },
    { disturb: killAll },
  ),
  'kill-workers': trialOf(
    {
      promise: 'What two workers acknowledged survives `kill -9` of all processes.',
      method: 'The supervisor and its workers are killed, in either order, and started again.',
    },
    { start: withWorkers, disturb: killAll },
  ),
  'kill-worker': trialOf(
    {
      promise:
        'If one of two workers is killed, the other one goes on, and nothing acknowledged is lost.',
      method:
        'A worker is killed, and the supervisor starts another one. The other one must remain, and clients must not be without a response for a second.',
    },
    { start: withWorkers, disturb: killWorker },
  ),
};
