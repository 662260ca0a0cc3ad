/** A control group of Linux that limits memory as MemoryMax of systemd does: of version 2, or of version 1. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const FORMS = [
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
];

export interface MemoryGroup {
  /** The command that runs another one in the group. */
  command(command: readonly string[]): string[];
  /** How many processes the kernel has killed because the limit was reached. */
  kills(): number;
  remove(): void;
}

/** Creates a group. @returns undefined if this process may not, or if the machine does not limit memory */
export function memoryGroup(limitBytes: number): MemoryGroup | undefined {
  for (const { root, limit, events } of FORMS) {
    const folder = `${root}/animal-store-${process.pid}-${crypto.randomUUID()}`;
    try {
      mkdirSync(folder);
      if (existsSync(`${folder}/${limit}`)) {
        writeFileSync(`${folder}/${limit}`, String(limitBytes));
        return groupIn(folder, events);
      }
      rmdirSync(folder);
    } catch {
      // Not root, or another version.
    }
  }
  return undefined;
}

const ENTER = 'echo $$ > "$0" && exec "$@"';

const groupIn = (folder: string, events: string): MemoryGroup => ({
  command: (command) => ['sh', '-c', ENTER, `${folder}/cgroup.procs`, ...command],
  kills: () =>
    Number(/^oom_kill (\d+)$/m.exec(readFileSync(`${folder}/${events}`, 'utf8'))?.[1] ?? 0),
  remove: () => rmdirSync(folder),
});
