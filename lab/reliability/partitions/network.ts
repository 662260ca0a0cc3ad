import { readlinkSync } from 'node:fs';
import { spawnGuarded } from '../../../test/support/guard.ts';
import { until } from '../../../test/support/process.ts';
import { runCommand } from '../run-command.ts';

export const HOSTS = [1, 2, 3] as const;
export type HostNumber = (typeof HOSTS)[number];

// 198.18.0.0/15 is reserved for tests of networks (RFC 2544).

/** The address at which the other hosts reach a host. Cuts affect it. */
export const insideOf = (host: HostNumber): string => `198.18.0.${host}`;

/** The address at which clients reach a host. No cut affects it. */
export const outsideOf = (host: HostNumber): string => `198.18.${host}.2`;

const NOBODY = '02:00:00:00:00:ff';

/** Three hosts on one switch, each with a link of its own to the clients. */
export interface Network {
  /** The command that runs another one on a host. */
  on(host: HostNumber, command: readonly string[]): string[];
  /** Plugs the cable to the switch in, or pulls it out. */
  setLink(host: HostNumber, isPlugged: boolean): void;
  /** Whether what a host sends arrives at another one. */
  setArrival(from: HostNumber, to: HostNumber, arrives: boolean): void;
  remove(): Promise<void>;
}

const ip = (text: string): string => runCommand('ip', ...text.split(' '));

const namespaceOf = (process: number | 'self'): string => readlinkSync(`/proc/${process}/ns/net`);

/** A process in a network namespace of its own. The namespace ends with it. */
async function startHost(): Promise<Bun.Subprocess> {
  const holder = spawnGuarded(['unshare', '--net', 'sleep', 'infinity'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await until(() => namespaceOf(holder.pid) !== namespaceOf('self'));
  return holder;
}

/** Connects three hosts. The network namespace of this process must be a new one: the trial changes no other network. */
export async function startNetwork(): Promise<Network> {
  if (ip('-oneline link').split('\n').length > 1)
    throw new Error('This process must run in a network namespace of its own: unshare --net.');
  const holders = await Promise.all(HOSTS.map(startHost));
  const on = (host: HostNumber, command: readonly string[]): string[] => [
    ...['nsenter', `--net=/proc/${holders[host - 1]?.pid}/ns/net`],
    ...command,
  ];
  const ipOn = (host: HostNumber, text: string) =>
    runCommand(...on(host, ['ip', ...text.split(' ')]));

  ip('link set lo up');
  ip('link add switch type bridge');
  ip('link set switch up');
  for (const host of HOSTS) {
    const holder = holders[host - 1]?.pid;
    ip(`link add port${host} type veth peer name inside netns ${holder}`);
    ip(`link set port${host} master switch up`);
    ip(`link add clients${host} type veth peer name outside netns ${holder}`);
    ip(`address add 198.18.${host}.1/30 dev clients${host}`);
    ip(`link set clients${host} up`);
    ipOn(host, `address add ${insideOf(host)}/24 dev inside`);
    ipOn(host, `address add ${outsideOf(host)}/30 dev outside`);
    for (const link of ['lo', 'inside', 'outside']) ipOn(host, `link set ${link} up`);
  }
  return {
    on,
    setLink: (host, isPlugged) => {
      ip(`link set port${host} ${isPlugged ? 'up' : 'down'}`);
    },
    setArrival: (from, to, arrives) => {
      // Nobody has this address, so what is sent there is lost in silence.
      const change = arrives
        ? `del ${insideOf(to)}`
        : `replace ${insideOf(to)} lladdr ${NOBODY} nud permanent`;
      ipOn(from, `neigh ${change} dev inside`);
    },
    async remove() {
      for (const holder of holders) holder.kill('SIGKILL');
      // The links end with the namespaces.
      await Promise.all(holders.map(({ exited }) => exited));
      ip('link delete switch');
    },
  };
}
