import { statSync } from 'node:fs';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { createKey } from '../../../test/support/create-key.ts';
import { startService, withService } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import { lineOf, responsesIn } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import type { Disk } from './disk.ts';
import { History } from './history.ts';
import { sendChanges } from './load.ts';
import { type Plan, programFaults, type Recorded, refusalOf } from './plan.ts';
import { readCopy } from './prepared.ts';
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
    if (afterKill && statSync(`${database}-wal`).size === 0)
      throw new Error('the kill left nothing in the -wal');
    const history = new History();
    // Whoever opens the file itself moves the -wal into it.
    remember(readCopy(database).texts, history);
    const args = ['--database', database, ...QUIET, ...flags];
    const recording = await recordService(folder, args, ({ origin }) =>
      sendChanges({ origin, key }, { clients: CLIENTS, requests }, history, random),
    );
    return judged(recording, history, DATABASE);
  };

/** Takes resources for known. */
function remember(texts: ReadonlyMap<string, string>, history: History, requestId = BEFORE): void {
  for (const [subject, text] of texts)
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
  const pages = pagesWritten(disk, name, Math.max(...lines.values()));
  return {
    ...{ disk, judge },
    figures: {
      'acknowledged changes': history.changes,
      'pages that checkpoints wrote between the responses': pages,
    },
  };
}

/** How many pages of the database file were written up to a line. Only checkpoints write it. */
function pagesWritten({ root, before }: Disk, name: string, line: number): number {
  const writes = before.get(`${root}/${name}`)?.writes ?? [];
  return writes.filter(({ start }) => start < line).length;
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
      remember(readCatalogue(database).texts, history, firstKey);
      const target = { origin: service.origin, key: `${service.firstKey}` };
      await sendChanges(target, { clients: 4, requests: 10 }, history, random);
    },
  );
  const shown = lineOf(recording.sent, 'This is the first API key');
  return judged(recording, history, name, [[firstKey, shown]]);
}

const isWal = (path: string): boolean => path.endsWith('-wal');
/** The finding about a resource that is not what a response said. */
const UNACKNOWLEDGED = / is .*, acknowledged was /;
const LOST_WAL = 'the syncs of the -wal do nothing';

/** The trials of the running service. */
export const SERVICE_PLANS: Readonly<Record<string, Plan>> = {
  requests: {
    promise: 'A change with a response survives a power failure, with its event.',
    method:
      '16 clients add, change, remove and sell animals, add batches, name categories, create and revoke API keys; in a new file, and in one with the -wal of a killed service.',
    limitMinutes: 45,
    recordings: [serviceUnder({ requests: 120 }), serviceUnder({ requests: 120, afterKill: true })],
    states: 3_000,
    lies: isWal,
    fault: LOST_WAL,
    names: UNACKNOWLEDGED,
  },
  workers: {
    promise: 'With two workers, too, a change with a response survives a power failure.',
    method: 'As for `power-loss-requests`, with `--workers 2`, and with checkpoints in between.',
    limitMinutes: 45,
    recordings: [
      serviceUnder({ requests: 80, flags: ['--workers', '2'] }),
      serviceUnder({ requests: 80, flags: ['--workers', '2'], afterKill: true }),
    ],
    states: 3_000,
    lies: isWal,
    fault: LOST_WAL,
    names: UNACKNOWLEDGED,
  },
  'first-start': {
    promise:
      'A power failure during the first start loses nothing that was acknowledged, and the next start works.',
    method:
      'The service creates a folder, the file and the first API key. 4 clients send changes. The first key must be in the file if it was shown.',
    limitMinutes: 45,
    recordings: [firstStart],
    states: 1_500,
    mostlyNames: true,
    lies: (path) => !path.includes('.'),
    fault: 'the syncs of folders do nothing',
    names: UNACKNOWLEDGED,
  },
};
