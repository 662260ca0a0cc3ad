import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  commandOf,
  parseLog,
  type RunningService,
  startCommand,
  type Workplace,
} from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { type Disturbed, type Left, trialOfScene } from './disturbed-round.ts';
import type { Trial } from './trial.ts';

/** Debian's package faketime, which sets the clock at the C library, as the clock of a machine is. */
const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Longer than the interval of the checks, on a busy machine. */
const NOTICED_MS = 4_000;
const ROUNDS = 20;
const MIN_JUMP_S = 90;
const MAX_JUMP_S = 2 * 86_400;

/** Less than the service logs. */
const SMALL_JUMP_S = 30;

const setClock = ({ file }: Workplace, seconds: number): void =>
  writeFileSync(file('clock'), `${seconds >= 0 ? '+' : ''}${seconds}`);

/** Starts the service with holds that are longer than any jump here: a clock that is ahead ends holds. */
function start(place: Workplace): Promise<RunningService> {
  if (!existsSync(place.file('clock'))) setClock(place, 0);
  const command = commandOf(
    ...['serve', '--database', place.database, '--port', '0'],
    ...['--log-level', 'warn', '--order-hold-minutes', '10080'],
  );
  return startCommand(command, {
    showsKey: !existsSync(place.database),
    variables: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: place.file('clock'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
}

/** Sets the clock twice: forward or back at random, and then right. Both jumps must be logged. */
const jump = (seconds: (random: Random) => number) =>
  async function disturb({ service, place, random }: Disturbed): Promise<Left> {
    const by = Math.round(seconds(random)) * (random() < 0.5 ? -1 : 1);
    const problems: string[] = [];
    for (const [offset, expected] of [
      [by, by],
      [0, -by],
    ] as const) {
      const before = jumpsOf(service).length;
      setClock(place, offset);
      const logged = await nextJump(service, before);
      if (logged === undefined || Math.abs(logged - expected) > 1)
        problems.push(`the clock jumped by ${expected} s, and ${logged ?? 'nothing'} was logged`);
    }
    return { isRunning: true, problems };
  };

/** The jump in the log that follows the first ones. Undefined: there is none in time. */
async function nextJump(service: RunningService, first: number): Promise<number | undefined> {
  for (const endMs = performance.now() + NOTICED_MS; performance.now() < endMs; await sleep(50)) {
    const jump = jumpsOf(service)[first];
    if (jump !== undefined) return jump;
  }
  return undefined;
}

const jumpsOf = (service: RunningService): number[] =>
  parseLog(service.stdout())
    .filter((line) => line['event.name'] === 'clock_jumped')
    .map((line) => Number(line['animal_store.clock.jump']));

/** Jumps of the clock under a service on SQLite. */
export const CLOCKS: Readonly<Record<string, Trial>> = {
  'clock-jumps': trialOfScene(
    {
      promise:
        'A jump of the clock by more than a minute is logged, and loses no acknowledged change.',
      method:
        'The clock is set forward or back by 90 s to two days, and then corrected. Orders are held for seven days: a clock that is ahead ends holds. Each jump must have its line in the log.',
      unit: 'rounds with two jumps',
      rounds: ROUNDS,
      tools: [LIBRARY],
      control: {
        fault: `a jump of ${SMALL_JUMP_S} s, which the service does not log`,
        scene: { start, disturb: jump(() => SMALL_JUMP_S) },
        names: /nothing was logged$/,
      },
    },
    { start, disturb: jump((random) => MIN_JUMP_S + random() * (MAX_JUMP_S - MIN_JUMP_S)) },
  ),
};
