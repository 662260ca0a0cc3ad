import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The tools with their exact versions, and their configuration. */
const PROJECT = fileURLToPath(new URL('clients/', import.meta.url));
const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));

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

/** Creates a folder for the tools, and installs them at the first use: about 470 MB. */
export function openWorkbench(): Workbench {
  const lock = readFileSync(join(PROJECT, 'package-lock.json'));
  const installed = join(CACHE, `clients-${Bun.hash(lock).toString(36)}`);
  if (!existsSync(installed)) install(installed);
  const path = join(installed, `run-${crypto.randomUUID()}`);
  cpSync(PROJECT, path, { recursive: true });
  const binaries = join(installed, 'node_modules', '.bin');
  return {
    path,
    file: (name) => join(path, name),
    run: (tool, ...args) => run(tool === 'node' ? tool : join(binaries, tool), args, path),
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** Installs into a temporary folder first: two runs may do so simultaneously, and one may be interrupted. */
function install(folder: string): void {
  const own = join(CACHE, `installing-${crypto.randomUUID()}`);
  mkdirSync(own, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(PROJECT, file), join(own, file));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd: own, stdio: 'inherit' });
  if (status !== 0) throw new Error('The client tools cannot be installed.');
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function run(command: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, CI: 'true', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TOOL_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
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
