import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { HOSTS, type HostNumber } from './network.ts';

/** A failure of the network or of a host. */
export interface Cut {
  readonly name: string;
  /** Begins the failure. @returns what ends it */
  begin(cluster: Cluster): Promise<() => Promise<void> | void>;
}

const FLAP_MS = 3_000;
const APART_MS = 1_000;

/** Whether primary and standby reach each other. */
function connect({ network }: Cluster, primary: HostNumber, standby: HostNumber, arrives: boolean) {
  network.setArrival(primary, standby, arrives);
  network.setArrival(standby, primary, arrives);
}

/** Stops a program on the host of the primary with SIGSTOP. */
const paused = (program: string, name: string): Cut => ({
  name,
  async begin({ processes, database }) {
    return processes.pause(`${program}${await database.primary()}`);
  },
});

const primaryAlone: Cut = {
  name: 'the primary alone',
  async begin({ network, database }) {
    const primary = await database.primary();
    network.setLink(primary, false);
    return () => network.setLink(primary, true);
  },
};

/** All kinds, each of which a trial runs several times. */
export const CUTS: readonly Cut[] = [
  primaryAlone,
  {
    name: 'a standby alone',
    async begin({ network, database }) {
      const standby = await database.standby();
      network.setLink(standby, false);
      return () => network.setLink(standby, true);
    },
  },
  {
    name: 'the primary cannot send',
    async begin({ network, database }) {
      const primary = await database.primary();
      const others = HOSTS.filter((host) => host !== primary);
      for (const other of others) network.setArrival(primary, other, false);
      return () => {
        for (const other of others) network.setArrival(primary, other, true);
      };
    },
  },
  paused('etcd', 'etcd paused on the host of the primary'),
  // PostgreSQL goes on without the program that would end it when its lock has passed.
  paused('node', 'Patroni paused on the host of the primary'),
  {
    name: 'primary and a standby apart, both with the third host',
    async begin(cluster) {
      const { database } = cluster;
      const [primary, standby] = [await database.primary(), await database.standby()];
      connect(cluster, primary, standby, false);
      return () => connect(cluster, primary, standby, true);
    },
  },
  {
    // The other standby then has changes that this one lacks, and clients have read them there.
    name: 'primary and a standby apart, and PostgreSQL and Patroni killed on the primary a second later',
    async begin(cluster) {
      const { database } = cluster;
      const [primary, standby] = [await database.primary(), await database.standby()];
      connect(cluster, primary, standby, false);
      await sleep(APART_MS);
      database.kill(primary);
      return () => {
        connect(cluster, primary, standby, true);
        database.start(primary);
      };
    },
  },
  {
    name: 'the link of the primary down and up every 3 s',
    async begin({ network, database }) {
      const primary = await database.primary();
      let isOver = false;
      const flapping = (async () => {
        for (let isUp = false; !isOver; isUp = !isUp) {
          network.setLink(primary, isUp);
          await sleep(FLAP_MS);
        }
        network.setLink(primary, true);
      })();
      return () => {
        isOver = true;
        return flapping;
      };
    },
  },
  {
    name: 'PostgreSQL and Patroni killed on the primary',
    async begin({ database }) {
      const primary = await database.primary();
      database.kill(primary);
      return () => database.start(primary);
    },
  },
];

/** What the control does: without synchronous commits, this loses changes. */
export const CUT_OF_CONTROL = primaryAlone;
