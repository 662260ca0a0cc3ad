/** The programs of `docs/examples`, in a folder like that of an integrator. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { type CommandBlock, commandBlocks, fencedBlocks } from './fenced-blocks.ts';
import { spawnGuarded } from './guard.ts';
import { ROOT, runProgram } from './process.ts';
import { expectShown, inOneShell, outputsOf } from './shown-output.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PAGE = 'docs/recipes.md';
const readPage = (): string => readFileSync(ROOT + PAGE, 'utf8');

export const readExample = (name: string): string =>
  readFileSync(`${ROOT}docs/examples/${name}`, 'utf8');

/** The commands of the page of recipes that install the service for tests. */
export function installCommands(): string {
  const block = fencedBlocks(readPage()).find(({ info }) => info === 'install');
  if (block === undefined) throw new Error(`${PAGE} does not install the service.`);
  return block.text;
}

/** Where the requests of a program go. */
export interface Target {
  readonly origin: string;
  readonly key: string;
}

/** A folder with all examples and the SDK, for the program `NAME.ts`. */
export async function projectOf(name: string) {
  const folder = temporaryFolder();
  const client = folder.file('node_modules/@animal-store/client');
  mkdirSync(client, { recursive: true });
  await Bun.write(`${client}/package.json`, '{"main":"index.ts"}');
  await Bun.write(`${client}/index.ts`, `export * from '${ROOT}sdk/src/index.ts';\n`);
  cpSync(`${ROOT}docs/examples`, folder.path, { recursive: true });
  const variables = ({ origin, key }: Target) => ({ STORE: `${origin}/v1`, KEY: key });
  return {
    ...folder,
    /** Runs the program until it exits. */
    run: (target: Target, ...args: string[]) =>
      runProgram([process.execPath, `${name}.ts`, ...args], {
        cwd: folder.path,
        variables: variables(target),
      }),
    /** Starts the program. Its output is in the file `output`. */
    start: (target: Target, ...args: string[]) =>
      spawnGuarded([process.execPath, `${name}.ts`, ...args], {
        cwd: folder.path,
        env: { ...process.env, ...variables(target) },
        stdout: Bun.file(folder.file('output')),
        stderr: 'ignore',
      }),
    /** Runs the commands that the page has for the program in one shell, and compares what they print. */
    async expectShown({ origin, key }: Target) {
      const blocks = commandBlocks(readPage(), ({ language }) => language !== 'sh').filter(
        ({ info }) => info === '' || info === name,
      );
      const real = ({ text }: CommandBlock) =>
        text
          .replaceAll('http://127.0.0.1:8080', origin)
          .replaceAll('ask_live_…', key)
          .replaceAll(/^bun /gm, `'${process.execPath}' `);
      const input = inOneShell(blocks.map(real));
      const { stdout, stderr, status } = await runProgram(['sh', '-e'], {
        cwd: folder.path,
        input,
      });
      if (status !== 0) throw new Error(`The commands of ${name} failed: ${stderr}`);
      expectShown(PAGE, blocks, outputsOf(stdout));
    },
  };
}

/**
 * Forwards requests to a service. After the service has responded to a request, and before the client has the response,
 * calls a function with the number of the request, from 1. If it throws, the client gets a 502.
 */
export function startInterruptingProxy() {
  let target = '';
  let onResponse: (number: number) => unknown = () => {};
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'GET' ? null : await request.arrayBuffer();
      const response = await fetch(target + pathname + search, { method, headers, body });
      const text = await response.text();
      requests += 1;
      await onResponse(requests);
      return new Response(text, response);
    },
    error: () => new Response('The service is not reachable.', { status: 502 }),
  });
  return {
    origin: server.url.origin,
    forwardTo(origin: string) {
      target = origin;
    },
    /** Starts to count again. */
    watch(callback: typeof onResponse) {
      onResponse = callback;
      requests = 0;
    },
    close: () => server.stop(true),
  };
}

/**
 * Starts a program again and again, and kills it after one of its requests, until it ends by itself.
 * @param lastOf the number of this request: by default one more in each run
 * @returns the number of kills
 */
export async function killAfterEachRequest(
  proxy: ReturnType<typeof startInterruptingProxy>,
  start: (kills: number) => Bun.Subprocess,
  lastOf: (kills: number) => number = (kills) => kills + 1,
): Promise<number> {
  for (let kills = 0; ; kills++) {
    const run = start(kills);
    let isKilled = false;
    proxy.watch(async (number) => {
      if (number < lastOf(kills)) return;
      isKilled = true;
      run.kill('SIGKILL');
      await run.exited;
    });
    await run.exited;
    if (!isKilled) {
      if (run.exitCode !== 0) throw new Error(`The program ended with ${run.exitCode}.`);
      return kills;
    }
  }
}
