import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { createKey } from '../../support/create-key.ts';
import { startService, withService } from '../../support/process.ts';
import type { Random } from '../../support/random.ts';
import { lineOf, responsesIn } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import { History } from './history.ts';
import { sendChanges } from './load.ts';
import { type Plan, programFaults, type Recorded, refusalOf } from './plan.ts';
import { type RecordedFolder, type Recording, recordService } from './record.ts';
import type { Judge } from './states.ts';

const DATABASE = 'animals.db';
const CLIENTS = 16;
const QUIET = ['--log-level', 'error'];

interface Load {
  readonly flags?: readonly string[];
  /** The requests of each client. */
  readonly requests: number;
  /** Whether the files are those of a service that was killed, with a -wal. */
  readonly afterKill?: boolean;
}

/** The requests before the trace. */
const BEFORE = 'before';

/** Records a service with a catalogue while clients change it. */
const serviceUnder =
  ({ flags = [], requests, afterKill = false }: Load) =>
  async (folder: RecordedFolder, random: Random): Promise<Recorded> => {
    const database = `${folder.root}/${DATABASE}`;
    const key = await createKey(database, SCOPES);
    if (afterKill)
      await withService(await startService(database, QUIET), ({ origin }) =>
        sendChanges({ origin, key }, { clients: 1, requests: 30 }, new History(), random),
      );
    const history = new History();
    remember(database, history);
    const args = ['--database', database, ...QUIET, ...flags];
    const recording = await recordService(folder, args, ({ origin }) =>
      sendChanges({ origin, key }, { clients: CLIENTS, requests }, history, random),
    );
    return judged(recording, history, DATABASE);
  };

/** Takes what is in a file for known. */
function remember(database: string, history: History, requestId = BEFORE): void {
  for (const [subject, text] of readCatalogue(database).texts)
    history.add(requestId, subject, Object.fromEntries(JSON.parse(text)));
}

/** Compares each state with what clients were told. */
function judged(
  { disk, sent }: Recording,
  history: History,
  name: string,
  others: readonly (readonly [string, number])[] = [[BEFORE, -1]],
): Recorded {
  const lines = new Map([...responsesIn(sent), ...others]);
  const judge: Judge = async (state, isSample) => {
    const path = state.path(name);
    const refusal = await refusalOf(path);
    if (refusal !== undefined) return [`refused: ${refusal}`];
    const { texts, faults, feedFaults } = readCatalogue(path);
    const isAcknowledged = (requestId: string) =>
      (lines.get(requestId) ?? Number.POSITIVE_INFINITY) < state.loss.moment;
    const found = [...faults, ...feedFaults, ...history.faults(texts, isAcknowledged)];
    return isSample ? [...found, ...(await programFaults(state, name, texts.size > 0))] : found;
  };
  return { disk, judge, figures: { 'acknowledged changes': history.changes } };
}

/** Records the first start, in a folder that it must create, and the first requests. */
async function firstStart(folder: RecordedFolder, random: Random): Promise<Recorded> {
  const name = 'data/animals.db';
  const database = `${folder.root}/${name}`;
  const history = new History();
  const firstKey = 'first key';
  const recording = await recordService(
    folder,
    ['--database', database, ...QUIET],
    async (service) => {
      remember(database, history, firstKey);
      const target = { origin: service.origin, key: `${service.firstKey}` };
      await sendChanges(target, { clients: 4, requests: 10 }, history, random);
    },
  );
  const shown = lineOf(recording.sent, 'This is the first API key');
  return judged(recording, history, name, [[firstKey, shown]]);
}

const LOSSES =
  'strace records every system call. The power fails at a random one: in equal parts at any, next to a sync, next to a change of names, and after the end. A change is certain if a sync of its file, or of the folder of its name, began after the change and has ended. Any other change is lost with a chance of 0, 0.1, 0.5, 0.9 or 1, as a whole or by sectors of 512 bytes. Names are lost in their order, or each with a chance of 0.5.';

const isWal = (path: string): boolean => path.endsWith('-wal');
const LOST_WAL = 'the syncs of the -wal do nothing';

/** The trials of the running service. */
export const SERVICE_PLANS: Readonly<Record<string, Plan>> = {
  requests: {
    promise: 'A change with a response survives a power failure, with its event.',
    method: `${LOSSES} 16 clients add, change, remove and sell animals, add batches, name categories, create and revoke API keys; in a new file, and in one whose service was killed. After each failure, the program must open the file; each resource must have its last acknowledged state or a later one, the inventories must be those of the animals, and the events must rebuild all resources. For one state in 40, the command \`check\` must find nothing, and the service must start.`,
    limitMinutes: 15,
    recordings: [serviceUnder({ requests: 120 }), serviceUnder({ requests: 120, afterKill: true })],
    states: 3_000,
    lies: isWal,
    fault: LOST_WAL,
  },
  workers: {
    promise: 'The same holds with two workers.',
    method: 'As for `power-loss-requests`, with `--workers 2`, whose checkpoints come in between.',
    limitMinutes: 15,
    recordings: [
      serviceUnder({ requests: 80, flags: ['--workers', '2'] }),
      serviceUnder({ requests: 80, flags: ['--workers', '2'], afterKill: true }),
    ],
    states: 3_000,
    lies: isWal,
    fault: LOST_WAL,
  },
  'first-start': {
    promise:
      'A power failure during the first start loses nothing that was acknowledged, and the next start works.',
    method:
      'As for `power-loss-requests`. The service creates a folder, the file and the first API key. 4 clients send changes. The first key must work if it was shown.',
    limitMinutes: 15,
    recordings: [firstStart],
    states: 1_500,
    mostlyNames: true,
    lies: (path) => !path.includes('.'),
    fault: 'the syncs of folders do nothing',
  },
};
