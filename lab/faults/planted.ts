import postgres from 'postgres';
import { FAULTS, type Fault } from './faults.ts';
import { faultRound } from './round.ts';
import type { Round } from './rounds.ts';

/** A round whose guarantees are violated on purpose: a check that does not find this proves nothing. */
interface Planted {
  /** What is wrong, as a part of a sentence. */
  readonly fault: string;
  readonly round: Round;
  /** The violation that names the fault. */
  readonly names: RegExp;
}

const LOST = /^acknowledged and lost: animal /;

/** PostgreSQL acknowledges what is not on disk yet. */
const FORGETFUL: Fault = {
  ...FAULTS.killedPrimary,
  keepsServer: false,
  settings: { synchronous_commit: 'off', wal_writer_delay: '10s', wal_writer_flush_after: '1GB' },
  async prepare(environment, random) {
    // It may forget animals, but not the API key.
    await environment.server.sql`CHECKPOINT`;
    return FAULTS.killedPrimary.prepare(environment, random);
  },
};

/** The standby lost its connection before the first write, and no commit waits for it. */
const LAGGING_STANDBY: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  async prepare({ server, forwarder }) {
    const standby = await server.startStandby();
    await standby.sql`ALTER SYSTEM SET primary_conninfo = ''`;
    await standby.sql`SELECT pg_reload_conf()`;
    return {
      async begin() {
        await server.kill();
        forwarder.retarget(standby.port);
      },
      repair: () => standby.promote(),
      survivor: () => standby,
      remove: () => standby.remove(),
    };
  },
};

/** A fault after which every second animal is deleted. The newest alone would not do: nobody may have an acknowledgement of them. */
const losing = (fault: Fault): Fault => ({
  ...fault,
  async prepare(environment, random) {
    const prepared = await fault.prepare(environment, random);
    return {
      ...prepared,
      async repair() {
        await prepared.repair();
        const sql = postgres(prepared.survivor().url(environment.database), { max: 1 });
        await sql`DELETE FROM animal_store.pets WHERE id % 2 = 1`;
        await sql.end();
      },
    };
  },
});

const CUTS = 5;

/** A fault that begins with connections that are cut after a COMMIT was sent. */
const afterCuts = (fault: Fault): Fault => ({
  ...fault,
  async prepare(environment, random) {
    const prepared = await fault.prepare(environment, random);
    return {
      ...prepared,
      async begin() {
        for (let cut = 0; cut < CUTS; cut += 1) await environment.forwarder.cutWhen('COMMIT');
        await prepared.begin();
      },
    };
  },
});

/** A fault whose repair is left out. */
const lasting = (fault: Fault): Fault => ({
  ...fault,
  async prepare(environment, random) {
    const prepared = await fault.prepare(environment, random);
    return {
      ...prepared,
      repair: async () => {},
      async remove() {
        await prepared.repair();
        await prepared.remove?.();
      },
    };
  },
});

const lost = (fault: Fault): Planted => ({
  fault: 'every second animal is deleted',
  round: (random) => faultRound(losing(fault), random),
  names: LOST,
});

const repeated = (fault: Fault): Planted => ({
  fault: 'the clients repeat requests without an `Idempotency-Key`',
  round: (random) => faultRound(afterCuts(fault), random, { retrying: true, withoutKeys: true }),
  names: /^stored more than once: animal /,
});

const late = (fault: Fault): Planted => ({
  fault: 'the service has timeouts of 7 and 6.5 seconds instead of 5 and 2',
  round: (random) => faultRound({ ...fault, timeouts: { request: 7, database: 6.5 } }, random),
  names: /^a response after \d+/,
});

const unrepaired = (fault: Fault): Planted => ({
  fault: 'the failure does not end',
  round: (random) => faultRound(lasting(fault), random),
  names: /^it did not recover$/,
});

/** For each round of `ROUNDS` one with a planted fault. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'killed-primary': {
    fault: '`synchronous_commit` is off',
    round: (random) => faultRound(FORGETFUL, random),
    names: LOST,
  },
  'killed-primary-retried': repeated(FAULTS.killedPrimary),
  'promoted-standby': {
    fault: 'the standby is asynchronous and has lost its connection',
    round: (random) => faultRound(LAGGING_STANDBY, random),
    names: LOST,
  },
  'cut-connections': lost(FAULTS.cutConnections),
  'cut-connections-retried': repeated(FAULTS.cutConnections),
  'black-hole': late(FAULTS.blackHole),
  'exhausted-pool': late(FAULTS.exhaustedPool),
  'full-server': unrepaired(FAULTS.fullServer),
  'read-only-role': unrepaired(FAULTS.readOnlyRole),
};
