import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { type Environment, ROLE, type ServerNeeds } from './environment.ts';
import { countBackends } from './monitor.ts';

type Random = () => number;

/** A fault in one round. */
export interface PreparedFault {
  /** Resolves when the fault has begun. */
  begin(): Promise<void>;
  /** Ends the fault, and resolves when the database accepts connections and writes. */
  repair(): Promise<void>;
  /** The primary after the fault. */
  survivor(): PostgresServer;
  /** Closes connections whose end the server could not detect. */
  closeDeadConnections?(): void;
  /** Removes additional resources of the fault. */
  remove?(): Promise<void>;
}

export interface Fault extends ServerNeeds {
  /** Whether no write can succeed during the fault. */
  readonly preventsWrites: boolean;
  /** Whether the service cannot be ready during the fault. */
  readonly preventsReadiness: boolean;
  prepare(environment: Environment, random: Random): Promise<PreparedFault>;
}

/** kill -9 of the server, and a restart on the same folder. */
const killedPrimary: Fault = {
  keepsServer: true,
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server }) => ({
    begin: () => server.kill(),
    repair: () => server.restart(),
    survivor: () => server,
  }),
};

/** Failover to a synchronous standby. The primary is killed or not, and connections move before or after the promotion. */
async function prepareFailover(
  { server, forwarder }: Environment,
  random: Random,
  isKilled: boolean,
): Promise<PreparedFault> {
  const standby = await server.startStandby();
  await server.requireSynchronous('standby');
  const movesBeforePromotion = random() < 0.5;
  return {
    async begin() {
      if (isKilled) await server.kill();
      if (movesBeforePromotion) forwarder.retarget(standby.port);
      else forwarder.refuse(true);
      if (!movesBeforePromotion) forwarder.cut();
    },
    async repair() {
      await standby.promote();
      if (movesBeforePromotion) return;
      forwarder.refuse(false);
      forwarder.retarget(standby.port);
    },
    survivor: () => standby,
    remove: () => standby.remove(),
  };
}

const promotedStandby: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  prepare: (environment, random) => prepareFailover(environment, random, random() < 0.5),
};

const CUTS = 6;

/** Connections are reset repeatedly: at random, or directly after a statement or COMMIT was sent. */
const cutConnections: Fault = {
  keepsServer: true,
  preventsWrites: false,
  preventsReadiness: false,
  prepare: async ({ server, forwarder }, random) => ({
    async begin() {
      for (let cut = 0; cut < CUTS; cut += 1) {
        const text = [undefined, 'animal ', 'COMMIT'][cut % 3];
        if (text === undefined) forwarder.cut();
        else await forwarder.cutWhen(text);
        await sleep(random() * 100);
      }
    },
    repair: async () => forwarder.cut(),
    survivor: () => server,
  }),
};

/** The primary is killed, and connections to the promoted standby are reset repeatedly. */
const killedBeforeCuts: Fault = {
  ...promotedStandby,
  async prepare(environment, random) {
    const failover = await prepareFailover(environment, random, true);
    const cuts = await cutConnections.prepare(environment, random);
    return {
      ...failover,
      async repair() {
        await failover.repair();
        await cuts.begin();
      },
    };
  },
};

/** No data arrives, without an error. */
const blackHole: Fault = {
  keepsServer: true,
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server, forwarder }) => ({
    begin: async () => forwarder.blackhole(true),
    repair: async () => forwarder.blackhole(false),
    survivor: () => server,
    closeDeadConnections: () => forwarder.cut(),
  }),
};

/** Another session holds a lock that blocks every write, so that all connections for writing are in use. */
const exhaustedPool: Fault = {
  keepsServer: true,
  preventsWrites: true,
  preventsReadiness: false, // the database works, and every instance is affected
  async prepare({ server, database }) {
    const other = postgres(server.url(database), { max: 1, onnotice: () => {} });
    return {
      async begin() {
        await other.unsafe('BEGIN; LOCK TABLE animal_store.pets IN SHARE MODE');
      },
      async repair() {
        await other.unsafe('COMMIT');
      },
      survivor: () => server,
      remove: () => other.end(),
    };
  },
};

/** Other clients use all connections of the server. */
const fullServer: Fault = {
  settings: { max_connections: '30', superuser_reserved_connections: '5' },
  preventsWrites: true,
  preventsReadiness: true,
  async prepare({ server, forwarder, database }) {
    const others: postgres.Sql[] = [];
    const exhaust = async (): Promise<void> => {
      for (;;) {
        const other = postgres(server.url(database, { user: ROLE }), {
          max: 1,
          onnotice: () => {},
        });
        const isConnected = await other`SELECT 1`.then(
          () => true,
          () => false,
        );
        if (!isConnected) return;
        others.push(other);
      }
    };
    return {
      async begin() {
        forwarder.refuse(true);
        forwarder.cut();
        while ((await countBackends(server)).all > 0) await sleep(5);
        await exhaust();
        forwarder.refuse(false);
      },
      async repair() {
        await Promise.all(others.map((other) => other.end()));
      },
      survivor: () => server,
    };
  },
};

/** The role of the service becomes read-only in new sessions. */
const readOnlyRole: Fault = {
  keepsServer: true,
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server, forwarder }) => ({
    async begin() {
      await server.sql.unsafe(`ALTER ROLE ${ROLE} SET default_transaction_read_only = on`);
      forwarder.cut();
    },
    async repair() {
      await server.sql.unsafe(`ALTER ROLE ${ROLE} RESET default_transaction_read_only`);
    },
    survivor: () => server,
  }),
};

export const FAULTS = {
  killedPrimary,
  promotedStandby,
  cutConnections,
  killedBeforeCuts,
  blackHole,
  exhaustedPool,
  fullServer,
  readOnlyRole,
};
