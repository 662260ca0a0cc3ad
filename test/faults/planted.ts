import postgres from 'postgres';
import { FAULTS, type Fault } from './faults.ts';
import { faultRound, type Outcome } from './round.ts';
import type { Round } from './rounds.ts';

/** A round whose guarantees are violated on purpose: a check that does not find this proves nothing. */
interface Planted {
  /** What is wrong, as a part of a sentence. */
  readonly fault: string;
  readonly round: Round;
}

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

const lost = (fault: Fault): Planted => ({
  fault: 'every second animal is deleted',
  round: (random) => faultRound(losing(fault), random),
});

const forgotten: Planted = {
  fault: '`synchronous_commit` is off',
  round: (random) => faultRound(FORGETFUL, random),
};

const repeated: Planted = {
  fault: 'the clients repeat requests without an `Idempotency-Key`',
  round: (random): Promise<Outcome> =>
    faultRound(FAULTS.cutConnections, random, { retrying: true, withoutKeys: true }),
};

/** For each round of `ROUNDS` one with a planted fault. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'killed-primary': forgotten,
  'killed-primary-retried': forgotten,
  'promoted-standby': {
    fault: 'the standby is asynchronous and has lost its connection',
    round: (random) => faultRound(LAGGING_STANDBY, random),
  },
  'cut-connections': lost(FAULTS.cutConnections),
  'cut-connections-retried': repeated,
  'black-hole': lost(FAULTS.blackHole),
  'exhausted-pool': lost(FAULTS.exhaustedPool),
  'full-server': lost(FAULTS.fullServer),
  'read-only-role': lost(FAULTS.readOnlyRole),
};
