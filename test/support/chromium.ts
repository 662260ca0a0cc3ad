import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import metadata from '../../package.json' with { type: 'json' };
import { ROOT, runProgram } from './process.ts';
import { hasMemoryFolder } from './temporary-folder.ts';

const CACHE = join(ROOT, 'test/.cache');
const FOLDER = join(CACHE, `chromium-${metadata.devDependencies['@sparticuz/chromium']}`);
const PROGRAM = join(FOLDER, 'chromium');

/** The package unpacks Chromium into TMPDIR, and does so only in a process of its own here. */
const UNPACK = "console.log(await (await import('@sparticuz/chromium')).default.executablePath())";

let shared: Promise<Browser> | undefined;

/** The browser of all tests in this process. It ends with the process. The runner also ends it after a test that took too long. */
export async function sharedChromium(): Promise<Browser> {
  shared ??= startChromium();
  if (!(await shared).isConnected()) shared = startChromium();
  return shared;
}

/** Starts Chromium of the package `@sparticuz/chromium`. It needs no system package and no privilege. */
async function startChromium(): Promise<Browser> {
  if (!existsSync(PROGRAM)) await unpack();
  // Chromium cannot create its sandbox as root, nor in most containers. Pages of a context share a process while one is open.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--renderer-process-limit=1',
    // Code of a page that lives for seconds does not repay the optimizing compilers.
    '--js-flags=--no-turbofan,--no-maglev',
    // A script that is compiled while it is received is compiled again for each page. This list replaces the list of
    // Playwright, and keeps what concerns pages over http, and what would ask servers elsewhere.
    '--disable-features=ScriptStreaming,AvoidUnnecessaryBeforeUnloadCheckSync,PaintHolding,HttpsUpgrades,' +
      'HttpsFirstBalancedModeAutoEnable,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch',
  ];
  // Memory that its processes share is in files, whose creation takes long on a disk.
  const ignoreDefaultArgs = hasMemoryFolder(true) ? ['--disable-dev-shm-usage'] : [];
  // Chromium sometimes crashes while it starts, before it has loaded anything.
  for (let starts = 1; ; starts += 1) {
    try {
      return await chromium.launch({ executablePath: PROGRAM, args, ignoreDefaultArgs });
    } catch (error) {
      if (starts === 3) throw error;
    }
  }
}

/** Unpacks into a temporary folder first: two runs may do so simultaneously, and one may be interrupted. */
async function unpack(): Promise<void> {
  const own = join(CACHE, `installing-${crypto.randomUUID()}`);
  mkdirSync(own, { recursive: true });
  const { status, stdout, stderr } = await runProgram([process.execPath, '-e', UNPACK], {
    variables: { TMPDIR: own },
  });
  if (status !== 0) throw new Error(`Chromium cannot be unpacked: ${stderr}`);
  const program = stdout.trim();
  chmodSync(program, 0o755);
  try {
    renameSync(dirname(program), FOLDER);
  } catch (error) {
    if (!existsSync(PROGRAM)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
