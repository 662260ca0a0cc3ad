import { BAD_INPUT } from './bad-input.ts';
import { FAILING_CALLS_METHOD } from './calls/round.ts';
import { CLOCKS } from './clocks.ts';
import { DATABASE_METHOD, DATABASE_TRIALS } from './database.ts';
import { DISKS } from './disks.ts';
import { DISTURBED_METHOD } from './disturbed-round.ts';
import { FAILING_CALLS } from './failing-calls.ts';
import { FEED_TRIALS } from './feed.ts';
import { FUZZ_TRIALS } from './fuzz.ts';
import { KILLED_COMMANDS, KILLED_COMMANDS_METHOD } from './kill-commands.ts';
import { KILL_METHOD, KILLS } from './kills.ts';
import { NEIGHBOURS } from './neighbours.ts';
import { NETWORK_MOUNT } from './network-mount.ts';
import { PARTITIONS, PARTITIONS_METHOD } from './partitions.ts';
import { POWER_LOSS_METHOD } from './power/plan.ts';
import { POWER_LOSS_TRIALS } from './power-loss.ts';
import { SOAK_METHOD, SOAKS } from './soaks.ts';
import type { Trial, TrialGroup } from './trial.ts';
import { WEBHOOK_TRIALS } from './webhooks.ts';

/** All trials, in the order of the page. */
export const GROUPS: readonly TrialGroup[] = [
  { title: 'Kills of the service', method: KILL_METHOD, trials: KILLS },
  { title: 'Kills of commands', method: KILLED_COMMANDS_METHOD, trials: KILLED_COMMANDS },
  { title: 'Power failures', method: POWER_LOSS_METHOD, trials: POWER_LOSS_TRIALS },
  {
    title: 'Failures of PostgreSQL and of its network',
    method: DATABASE_METHOD,
    trials: DATABASE_TRIALS,
  },
  { title: 'Failures between hosts', method: PARTITIONS_METHOD, trials: PARTITIONS },
  { title: 'System calls that fail', method: FAILING_CALLS_METHOD, trials: FAILING_CALLS },
  {
    title: 'Clocks, disks and neighbours',
    method: DISTURBED_METHOD,
    trials: { ...CLOCKS, ...DISKS, ...NEIGHBOURS, 'network-mount': NETWORK_MOUNT },
  },
  { title: 'Load for long', method: SOAK_METHOD, trials: SOAKS },
  { title: 'Events', trials: FEED_TRIALS },
  { title: 'Webhooks', trials: WEBHOOK_TRIALS },
  { title: 'Bad input', trials: { 'bad-input': BAD_INPUT, ...FUZZ_TRIALS } },
];

/** Promises without a trial, as sentences of the page. */
export const UNTRIED: readonly string[] = [
  'Load for more than an hour, for more than ten minutes on PostgreSQL, and with workers. Response times over an hour on an idle machine.',
  'Power failures of PostgreSQL, which is only killed. Disks that lose what they reported as synced ([seen](failures.md#the-storage-cannot-be-read-or-written): a file system stopped during a sync).',
  'PostgreSQL with a full or slow disk, or limited memory.',
  'The loss of two of three hosts, or of PostgreSQL on both standbys. A whole host that pauses. Lost or late packets. Real machines. Patroni with PostgreSQL 16 to 18. The replacement of a host. A full disk of one node. Events, API keys and batches through a failover.',
  'Holds and keys that a wrong clock ends. A wrong clock at the start, jumps with workers or on PostgreSQL, hosts whose clocks differ.',
  'NFS, CIFS and other network mounts than sshfs.',
  'Files that are removed, replaced or cut under a running service. No file descriptors, slow readers, a log that cannot be written. Tests and drills try each of [these failures](failures.md) a few times.',
  'The SDK and the console beside these failures. `npm test` tries single ones.',
];

/** All trials by name. */
export const TRIALS: Readonly<Record<string, Trial>> = Object.assign(
  {},
  ...GROUPS.map(({ trials }) => trials),
);
