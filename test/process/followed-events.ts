import { animalStore, collect } from '../support/process.ts';
import { spawnAnimalStore } from './children.ts';

/** Adds the event of an import. */
export const importRex = (database: string) =>
  animalStore(['import', '--format', 'ndjson', '--database', database, '-'], {
    input: '{"name":"Rex","categoryId":1}\n',
  });

export async function newestId(database: string): Promise<string> {
  const { stdout } = await animalStore(['events', '--json', '--database', database]);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').id;
}

/** Runs `events --follow`. */
export function follow(database: string, ...args: readonly string[]) {
  const child = spawnAnimalStore(['events', '--follow', '--database', database, ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  return {
    /** Without line breaks. */
    lines: () => stdout.text().split('\n').slice(0, -1),
    subjects: () =>
      stdout
        .text()
        .match(/"subject":"[^"]*"/g)
        ?.map((it) => it.slice(11, -1)),
    async ended(signal?: NodeJS.Signals) {
      if (signal) child.kill(signal);
      await Promise.all([child.exited, stdout.finished, stderr.finished]);
      return { status: child.exitCode, stderr: stderr.text() };
    },
  };
}
