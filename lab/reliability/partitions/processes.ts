import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { childrenOf } from '../../../test/process/children.ts';
import { GUARD } from '../../../test/support/guard.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { HostNumber, Network } from './network.ts';

/** Where Debian's packages have the programs of PostgreSQL. */
export const BINARIES = '/usr/lib/postgresql/15/bin';
const SEARCHED = `${process.env['PATH']}:/usr/sbin:${BINARIES}`;

const STOP_LIMIT_MS = 30_000;

type Variables = Readonly<Record<string, string>>;

/** The programs of the hosts: processes of the user `nobody`, each with a folder of its own. They end with this process. */
export class HostProcesses {
  readonly #folder = temporaryFolder();
  readonly #running = new Map<string, ChildProcess>();
  readonly #user: { readonly uid: number; readonly gid: number };

  constructor(readonly network: Network) {
    chmodSync(this.#folder.path, 0o755);
    const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout);
    this.#user = { uid: id('-u'), gid: id('-g') };
  }

  /** A file in the folder of a process. */
  file(name: string, file: string): string {
    return this.#folder.file(`${name}/${file}`);
  }

  /** Starts a program on a host under a name of its own. */
  start(name: string, host: HostNumber, command: readonly string[], env: Variables = {}): void {
    const home = this.#folder.file(name);
    const { uid, gid } = this.#user;
    mkdirSync(home, { recursive: true });
    chownSync(home, uid, gid);
    const asNobody = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const guarded = [...asNobody, 'sh', '-c', GUARD, 'sh', ...command];
    const [program = '', ...args] = this.network.on(host, guarded);
    const child = spawn(program, args, {
      cwd: home,
      env: { PATH: SEARCHED, LC_ALL: 'C.UTF-8', HOME: home, ...env },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#running.set(name, child);
  }

  /** Signals a process and those that it has started, but for those that left its group. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.#running.get(name)?.pid;
    if (pid !== undefined) process.kill(-pid, signal);
  }

  /** Stops a program with SIGSTOP, and not its guard, which ends it if the trial is killed. @returns what lets it go on */
  pause(name: string): () => void {
    const [program = 0] = childrenOf(this.#running.get(name)?.pid ?? 0);
    process.kill(program, 'SIGSTOP');
    return () => {
      process.kill(program, 'SIGCONT');
    };
  }

  async #stop(name: string): Promise<void> {
    const child = this.#running.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    const late = setTimeout(() => this.signal(name, 'SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(late);
  }

  /** Stops all, the last one first. */
  async remove(): Promise<void> {
    for (const name of [...this.#running.keys()].reverse()) await this.#stop(name);
    this.#folder.remove();
  }
}
