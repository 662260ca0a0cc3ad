import { ChildProcess } from 'node:child_process';

/**
 * A shell script that runs a program until standard input is closed, also by the end of this process. A terminal signals the
 * shell, too, which must survive that: the program ignores it as a background process. A program that is stopped goes on, to end.
 */
export const GUARD = `trap '' HUP INT; "$@" & pid=$!; read -r _; kill "$pid"; kill -CONT "$pid"; wait "$pid"`;

/**
 * Reads the id of each process that starts, and with a minus sign that of each that has ended. When standard input is
 * closed, it kills the others and their descendants, but for those with a session of their own: guards, and what they guard.
 * When a test exceeds its timeout, the runtime sends SIGTERM to all processes that it has started.
 */
const KILL_REST = `
trap '' HUP INT TERM
ids=$(awk '$1 > 0 { runs[$1] = 1 } $1 < 0 { delete runs[-$1] } END { for (id in runs) print id }')
children() { ps -o pid=,sid= --ppid "$1" | awk '$1 != $2 { print $1 }'; }
family() { for id; do echo "$id"; family $(children "$id"); done; }
[ -z "$ids" ] || kill -KILL $(family $ids)
`;

/** In a session of its own, so that it survives a signal to the group of this process. */
function startGuard() {
  const guard = Bun.spawn(['sh', '-c', KILL_REST], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return (id: number): void => {
    guard.stdin.write(`${id}\n`);
    guard.stdin.flush();
  };
}

let tellGuard: ReturnType<typeof startGuard> | undefined;

/**
 * Kills a process and its descendants when this process ends, for any reason: exit handlers run neither after a failure
 * with `bun test --bail` nor after a kill.
 */
export function guarded<Child extends Bun.Subprocess | ChildProcess>(child: Child): Child {
  tellGuard ??= startGuard();
  const tell = tellGuard;
  const { pid = 0 } = child;
  tell(pid);
  if (child instanceof ChildProcess) child.once('exit', () => tell(-pid));
  else child.exited.then(() => tell(-pid));
  return child;
}

/** `Bun.spawn` of a guarded process. */
export const spawnGuarded = ((...parameters: Parameters<typeof Bun.spawn>) =>
  guarded(Bun.spawn(...parameters))) as typeof Bun.spawn;
