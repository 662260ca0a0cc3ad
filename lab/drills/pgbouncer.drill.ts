/** The service behind Debian's PgBouncer: either it does not start, or every response is correct. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openScratch, type Scratch } from '../../test/storage/postgres/scratch.ts';
import { importPets } from '../../test/support/catalogue.ts';
import { createKey } from '../../test/support/create-key.ts';
import {
  animalStore,
  commandOf,
  ONE_SENTENCE,
  parseLog,
  startCommand,
} from '../../test/support/process.ts';
import { CATALOGUE, Checks } from './checks.ts';
import { PGBOUNCER, startPgbouncer } from './pgbouncer.ts';

const RESPONSES = 20_000;
const CLIENTS = 48;

/** The limit for a failed start, beyond the time of any command on a busy machine. */
const FAILED_START_MS = 2_000;

/** Longer than a test takes on a busy machine. */
const SERVICE_LIMIT_MS = 300_000;

let scratch: Scratch;
let keys: { key: string; readingKey: string };

beforeAll(async () => {
  if (PGBOUNCER === null) return;
  scratch = await openScratch();
  const database = await scratch.open();
  await importPets(database, CATALOGUE);
  const scopes = ['pets:read', 'pets:write', 'orders:read', 'keys:admin'] as const;
  keys = {
    key: await createKey(scratch.url, scopes),
    readingKey: await createKey(scratch.url, ['pets:read']),
  };
}, 60_000);
afterAll(() => scratch?.remove());

type Options = Parameters<typeof startPgbouncer>[1];

/** Runs some work with PgBouncer in front of the scratch database. */
async function withPgbouncer(
  options: Options,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const pgbouncer = await startPgbouncer(scratch.server, options);
  try {
    await work(scratch.server.url(scratch.name, { port: pgbouncer.port }));
  } finally {
    await pgbouncer.stop();
  }
}

const serve = (url: string, ...flags: readonly string[]): string[] =>
  commandOf('serve', '--database', url, '--port', '0', ...flags);

const MODES: [Options['mode'], Options['parameters']][] = [
  ['transaction', 'refused'],
  ['transaction', 'ignored'],
  ['session', 'refused'],
  ['session', 'ignored'],
];

describe.each(MODES)('in %s mode, with startup parameters that are %s,', (mode, parameters) => {
  const named = (title: string) => `${title} (needs the Debian package pgbouncer)`;

  test.skipIf(PGBOUNCER === null)(
    named('the service does not start with prepared statements'),
    () => expectFailedStart({ mode, parameters, sessions: 6 }),
  );

  test.skipIf(PGBOUNCER === null)(
    named('all of 20,000 responses are correct without prepared statements'),
    () =>
      withPgbouncer({ mode, parameters, sessions: 6 }, async (url) => {
        // In session mode each connection keeps one session of the server.
        const connections = mode === 'session' ? '3' : '20';
        const flags = ['--database-prepared', 'off', '--database-connections', connections];
        const command = serve(url, ...flags);
        const options = { showsKey: false, limitMs: SERVICE_LIMIT_MS };
        const services = [
          await startCommand(command, options),
          await startCommand(command, options),
        ];
        const checks = new Checks({ origins: services.map(({ origin }) => origin), ...keys });
        await checks.run(RESPONSES, CLIENTS);
        const ended = await Promise.all(services.map((service) => service.stop()));
        const failures = ended.flatMap(({ stdout }) =>
          parseLog(stdout).filter(({ level }) => level === 'error'),
        );
        console.log(`${checks.checked} responses checked, ${checks.wrong.length} wrong`);
        expect({ wrong: checks.wrong, failures }).toEqual({ wrong: [], failures: [] });
        expect(ended.map(({ status }) => status)).toEqual([0, 0]);
      }),
  );
});

test.skipIf(PGBOUNCER === null)(
  'in transaction mode, with a database whose defaults are the startup parameters, the service does not start with prepared statements (needs the Debian package pgbouncer)',
  async () => {
    const { sql } = scratch;
    const database = sql(scratch.name);
    await sql`ALTER DATABASE ${database} SET statement_timeout = 4500`;
    await sql`ALTER DATABASE ${database} SET idle_in_transaction_session_timeout = 4500`;
    try {
      await expectFailedStart({ mode: 'transaction', parameters: 'ignored', sessions: 6 });
    } finally {
      await sql`ALTER DATABASE ${database} RESET ALL`;
    }
  },
);

test.skipIf(PGBOUNCER === null)(
  'in statement mode, the service does not start without prepared statements, with or without a catalogue (needs the Debian package pgbouncer)',
  async () => {
    const options = { mode: 'statement', parameters: 'refused', sessions: 6 } as const;
    const sentence =
      'a pooler that shares sessions between statements, so there are no transactions: set its pool_mode to transaction or session.\n';
    await expectFailedStart(options, sentence, '--database-prepared', 'off');
    await using empty = await openScratch();
    const pgbouncer = await startPgbouncer(empty.server, options);
    const url = empty.server.url(empty.name, { port: pgbouncer.port });
    const { status, stderr } = await animalStore([
      'migrate',
      '--database',
      url,
      '--database-prepared',
      'off',
    ]);
    await pgbouncer.stop();
    expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await empty.sql`SELECT FROM pg_namespace WHERE nspname = 'animal_store'`).toHaveLength(
      0,
    );
  },
);

const expectFailedStart = (
  options: Options,
  sentence = 'set DATABASE_PREPARED=off.\n',
  ...flags: readonly string[]
): Promise<void> =>
  withPgbouncer(options, async (url) => {
    const beforeMs = performance.now();
    await animalStore(['--help']);
    const startedMs = performance.now();
    const anyCommandMs = startedMs - beforeMs;
    const { status, stdout, stderr } = await animalStore([
      'serve',
      '--database',
      url,
      '--port',
      '0',
      ...flags,
    ]);
    expect(performance.now() - startedMs).toBeLessThan(anyCommandMs + FAILED_START_MS);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(ONE_SENTENCE);
    expect(stderr).toEndWith(sentence);
  });
