import { spawn } from 'node:child_process';
import { GUARD } from '../../test/support/guard.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import { until } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

/** The path of the program, null if it is not installed. Debian's package has it in /usr/sbin. */
export const HAPROXY = Bun.which('haproxy', { PATH: `${process.env['PATH']}:/usr/sbin` });

/** Which requests may use an idle connection to a server. */
export type HttpReuse = 'never' | 'safe' | 'aggressive' | 'always';

/** Between two checks of a server. The second one that fails takes the server out. */
const CHECK_INTERVAL_MS = 100;

/** HAProxy in front of servers on ports of 127.0.0.1. */
export interface Haproxy {
  readonly origin: string;
  /** Resolves when it sends requests to all servers. */
  allUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts HAProxy without retries: a request that one server loses fails. */
export async function startHaproxy(ports: readonly number[], reuse: HttpReuse): Promise<Haproxy> {
  if (HAPROXY === null) throw new Error('HAProxy is not installed.');
  const folder = temporaryFolder();
  const [port, statsPort] = [await freePort(), await freePort()];
  const file = folder.file('haproxy.cfg');
  await Bun.write(file, configuration({ port, statsPort, ports, reuse }));
  const child = spawn('sh', ['-c', GUARD, 'sh', HAPROXY, '-db', '-q', '-f', file], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = (log + chunk).slice(-8_000);
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      hasEnded = true;
      resolve();
    }),
  );
  const countUp = async (): Promise<number> => {
    if (hasEnded) throw new Error(`HAProxy has ended: ${log}`);
    const response = await fetch(`http://127.0.0.1:${statsPort}/;csv`).catch(() => undefined);
    const lines = (await response?.text())?.split('\n') ?? [];
    return lines.filter((line) => /^store,s\d+,/.test(line) && line.split(',')[17] === 'UP').length;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    allUp: () => until(async () => (await countUp()) === ports.length),
    async stop() {
      child.stdin.end();
      await ended;
      folder.remove();
    },
  };
}

interface Configuration {
  readonly port: number;
  readonly statsPort: number;
  readonly ports: readonly number[];
  readonly reuse: HttpReuse;
}

const configuration = ({ port, statsPort, ports, reuse }: Configuration): string => `
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout check 5s
  timeout client 60s
  timeout server 60s

frontend clients
  bind 127.0.0.1:${port}
  default_backend store

backend store
  http-reuse ${reuse}
  option httpchk GET /readyz
  default-server check inter ${CHECK_INTERVAL_MS}ms fall 2 rise 1
${ports.map((server, index) => `  server s${index} 127.0.0.1:${server}\n`).join('')}
frontend stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
`;
