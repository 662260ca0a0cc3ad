import { spawn } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { guarded } from '../../test/support/guard.ts';
import { inPackages } from '../installed.ts';

/** The tools with their exact versions, and their configuration. */
const PROJECT = join(import.meta.dirname, 'clients');

/** No tool takes longer, also on a busy machine. */
const TOOL_LIMIT_MS = 180_000;

interface ToolRun {
  readonly status: number | null;
  /** What it wrote to standard output. */
  readonly stdout: string;
  /** Standard output and standard error, for the message of a failed test. */
  readonly output: string;
}

/** A folder in which the tools run. They find their configuration and each other's results there. */
export interface Workbench {
  readonly path: string;
  file(name: string): string;
  /** Runs a tool of the project, or `node`, until it exits. */
  run(tool: string, ...args: readonly string[]): Promise<ToolRun>;
  remove(): void;
}

/** Creates a folder for the tools, beside their configuration. */
export function openWorkbench(): Workbench {
  const path = join(PROJECT, `run-${crypto.randomUUID()}`);
  for (const { name } of readdirSync(PROJECT, { withFileTypes: true }).filter((it) => it.isFile()))
    cpSync(join(PROJECT, name), join(path, name));
  return {
    path,
    file: (name) => join(path, name),
    run: (tool, ...args) => run(tool === 'node' ? tool : inPackages('.bin', tool), args, path),
    remove: () => rmSync(path, { recursive: true }),
  };
}

function run(command: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  const child = guarded(
    spawn(command, args, {
      cwd,
      env: { ...process.env, CI: 'true', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TOOL_LIMIT_MS,
      killSignal: 'SIGKILL',
    }),
  );
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, output }));
  });
}
