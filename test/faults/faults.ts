import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { PostgresServer } from '../support/postgres-server.ts';
import { ROLE, type Stage } from './stage.ts';
import { backendsOf } from './watch.ts';

type Random = () => number;

/** How a fault goes in one round. */
export interface Course {
  /** Begins the fault: once this has resolved, it is there. */
  strike(): Promise<void>;
  /** Ends it: once this has resolved, the database takes connections and writes. */
  mend(): Promise<void>;
  /** The server that has the data in the end. */
  survivor(): PostgresServer;
  /** Lets the server learn of connections whose end it could not see. */
  reveal?(): void;
  /** Lets go of what the fault needed beside the stage. */
  remove?(): Promise<void>;
}

export interface Fault {
  /** Settings that its server needs. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether nothing can be written while it lasts. */
  readonly preventsWrites: boolean;
  /** Whether the service cannot be ready while it lasts. */
  readonly preventsReadiness: boolean;
  prepare(stage: Stage, random: Random): Promise<Course>;
}

/** kill -9 of the server, and a new start on the same folder. */
const killedPrimary: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server }) => ({
    strike: () => server.kill(),
    mend: () => server.restart(),
    survivor: () => server,
  }),
};

/** The primary dies, or goes on alone; its synchronous standby takes over, and the address leads there, too early or not. */
const promotedStandby: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  async prepare({ server, forwarder }, random) {
    const standby = await server.startStandby();
    await server.requireSynchronous('standby');
    const isKilled = random() < 0.5;
    const movesFirst = random() < 0.5;
    return {
      async strike() {
        if (isKilled) await server.kill();
        if (movesFirst) forwarder.retarget(standby.port);
        else forwarder.refuse(true);
        if (!movesFirst) forwarder.cut();
      },
      async mend() {
        await standby.promote();
        if (movesFirst) return;
        forwarder.refuse(false);
        forwarder.retarget(standby.port);
      },
      survivor: () => standby,
      remove: () => standby.remove(),
    };
  },
};

const CUTS = 6;

/** Connections are reset again and again: at any moment, or right after a statement or a commit was sent. */
const cutConnections: Fault = {
  preventsWrites: false,
  preventsReadiness: false,
  prepare: async ({ server, forwarder }, random) => ({
    async strike() {
      for (let cut = 0; cut < CUTS; cut += 1) {
        const text = [undefined, 'animal ', 'COMMIT'][cut % 3];
        if (text === undefined) forwarder.cut();
        else await forwarder.cutWhen(text);
        await sleep(random() * 100);
      }
    },
    mend: async () => forwarder.cut(),
    survivor: () => server,
  }),
};

/** Nothing arrives any more, and nobody is told. */
const blackHole: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server, forwarder }) => ({
    strike: async () => forwarder.blackhole(true),
    mend: async () => forwarder.blackhole(false),
    survivor: () => server,
    reveal: () => forwarder.cut(),
  }),
};

/** Somebody holds a lock that every write waits for: each connection for writing is in use. */
const exhaustedPool: Fault = {
  preventsWrites: true,
  preventsReadiness: false, // the database is well, and this instance as good as any other
  async prepare({ server, database }) {
    const other = postgres(server.url(database), { max: 1, onnotice: () => {} });
    return {
      async strike() {
        await other.unsafe('BEGIN; LOCK TABLE animal_store.pets IN SHARE MODE');
      },
      async mend() {
        await other.unsafe('COMMIT');
      },
      survivor: () => server,
      remove: () => other.end(),
    };
  },
};

/** Others take every connection that the server has. */
const fullServer: Fault = {
  settings: { max_connections: '30', superuser_reserved_connections: '5' },
  preventsWrites: true,
  preventsReadiness: true,
  async prepare({ server, forwarder, database }) {
    const others: postgres.Sql[] = [];
    const takeAll = async (): Promise<void> => {
      for (;;) {
        const other = postgres(server.url(database, { user: ROLE }), {
          max: 1,
          onnotice: () => {},
        });
        const isTaken = await other`SELECT 1`.then(
          () => true,
          () => false,
        );
        if (!isTaken) return;
        others.push(other);
      }
    };
    return {
      async strike() {
        forwarder.refuse(true);
        forwarder.cut();
        while ((await backendsOf(server)).all > 0) await sleep(5);
        await takeAll();
        forwarder.refuse(false);
      },
      async mend() {
        await Promise.all(others.map((other) => other.end()));
      },
      survivor: () => server,
    };
  },
};

/** The service's role may only read, in sessions that begin from now on. */
const readOnlyRole: Fault = {
  preventsWrites: true,
  preventsReadiness: true,
  prepare: async ({ server, forwarder }) => ({
    async strike() {
      await server.sql.unsafe(`ALTER ROLE ${ROLE} SET default_transaction_read_only = on`);
      forwarder.cut();
    },
    async mend() {
      await server.sql.unsafe(`ALTER ROLE ${ROLE} RESET default_transaction_read_only`);
    },
    survivor: () => server,
  }),
};

export const FAULTS = {
  killedPrimary,
  promotedStandby,
  cutConnections,
  blackHole,
  exhaustedPool,
  fullServer,
  readOnlyRole,
};
