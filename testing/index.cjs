/**
 * Starts a service for tests, from Node.js and Bun. JavaScript because Node.js runs no TypeScript below node_modules, and
 * CommonJS because Jest loads it without settings. Its types are in index.d.cts.
 */
'use strict';
const { spawn } = require('node:child_process');
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const PROGRAM = join(__dirname, '../bin/animal-store');

/**
 * Runs the service until standard input is closed, which the end of the test closes, too. Then removes the folder. The shell
 * closes its standard error, so the end of the service ends it.
 */
const SCRIPT = `
folder=$1; shift
"$@" >/dev/null & pid=$!
exec 2>&-
read -r _
kill -KILL "$pid"; wait "$pid"
rm -rf "$folder"
`;

/** Empty counts as not set. The address of the service and its first key are read from what it says. */
const OWN = {
  HOST: '',
  BASE_URL: '',
  STAGING_BASE_URL: '',
  FIRST_KEY_FILE: '',
  DATABASE_URL_FILE: '',
  DATABASE_STANDBY_URLS: '',
};

const START_TIMEOUT_MS = 30_000;

/** What the service says when it is ready: its base URL, the first key, and at last a command. */
const READY = / serves (\S+) from [\s\S]*^ {2}(ask_\w+)$[\s\S]*^ {2}curl .*\n/m;

exports.startStore = async (settings = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-test-'));
  const flags = ['--port', '0', '--database', join(folder, 'test.db')];
  const command = [PROGRAM, 'serve', ...flags];
  const service = spawn('sh', ['-c', SCRIPT, 'sh', folder, ...command], {
    // Settings of the environment would change the tests.
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, ...settings, ...OWN },
    stdio: ['pipe', 'ignore', 'pipe'],
    // The signals of a terminal go to the test, whose end ends the service.
    detached: true,
  });
  const stop = async () => {
    const exited = new Promise((resolve) => service.once('exit', resolve));
    service.ref();
    service.stdin.end();
    if (service.exitCode === null) await exited;
  };
  const [, baseUrl, apiKey] = await ready(service).catch(async (error) => {
    await stop();
    throw error;
  });
  // The test may end without stop().
  for (const part of [service, service.stdin, service.stderr]) part.unref?.();
  // Not enumerable: the SDK refuses an option that it does not know.
  return Object.defineProperty({ baseUrl, apiKey }, 'stop', { value: stop });
};

/** Resolves with what the service says when it is ready. */
function ready({ stderr }) {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = () => reject(new Error(`The service did not start. ${text}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    stderr.setEncoding('utf8');
    stderr.on('data', (chunk) => {
      text += chunk;
      const match = READY.exec(text);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
    stderr.on('end', () => {
      clearTimeout(timer);
      fail();
    });
  });
}
