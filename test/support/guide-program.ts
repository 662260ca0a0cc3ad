/** The programs in the guides for integrators, in a folder like that of an integrator. */
import { mkdirSync, readFileSync } from 'node:fs';
import { type CommandBlock, commandBlocks, fencedBlocks } from './fenced-blocks.ts';
import { spawnGuarded } from './guard.ts';
import { ROOT, runProgram } from './process.ts';
import { expectShown, inOneShell, outputsOf } from './shown-output.ts';
import { temporaryFolder } from './temporary-folder.ts';

const readGuide = (name: string): string => readFileSync(`${ROOT}docs/${name}.md`, 'utf8');

/** The blocks of a guide in one language, as one program. */
export const programOf = (name: string, language: string): string =>
  fencedBlocks(readGuide(name))
    .filter((block) => block.language === language)
    .map(({ text }) => text)
    .join('\n');

/** The block of a guide whose fence has this language and word. */
export function guideBlock(name: string, language: string, word: string): string {
  const blocks = fencedBlocks(readGuide(name));
  const block = blocks.find((one) => one.language === language && one.info === word);
  if (block === undefined) throw new Error(`${name} has no block ${language} ${word}.`);
  return block.text;
}

/** Where the requests of a program go. */
export interface Target {
  readonly origin: string;
  readonly key: string;
}

/** A folder with the TypeScript of a guide in `NAME.ts`, and the SDK. */
export async function projectOf(guide: string, name: string) {
  const folder = temporaryFolder();
  const client = folder.file('node_modules/@animal-store/client');
  mkdirSync(client, { recursive: true });
  await Bun.write(`${client}/package.json`, '{"main":"index.ts"}');
  await Bun.write(`${client}/index.ts`, `export * from '${ROOT}sdk/src/index.ts';\n`);
  await Bun.write(folder.file(`${name}.ts`), programOf(guide, 'ts'));
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
    /** Runs the commands of the guide in one shell, and compares what they print. */
    async expectShown({ origin, key }: Target) {
      const blocks = commandBlocks(readGuide(guide), ({ language }) => language !== 'sh');
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
      if (status !== 0) throw new Error(`The commands of ${guide} failed: ${stderr}`);
      expectShown(`docs/${guide}.md`, blocks, outputsOf(stdout));
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
