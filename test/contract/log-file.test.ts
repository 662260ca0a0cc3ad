/** LogFile writes complete lines in batches and in order. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { LogFile } from '../../src/observe/log-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = folder.file('log');
});
afterEach(() => folder.remove());

/** Runs `work` with a log, and returns the content of its file. */
async function written(work: (log: LogFile) => Promise<void> | void): Promise<string> {
  const descriptor = openSync(path, 'w');
  const log = new LogFile(descriptor);
  await work(log);
  await log.end();
  closeSync(descriptor);
  return readFileSync(path, 'utf8');
}

const linesOf = (count: number) =>
  Array.from({ length: count }, (_value, index) => `{"line":${index},"name":"🐈 é ${index}"}\n`);

test('many lines are written completely and in order', async () => {
  const lines = linesOf(50_000);
  const text = await written(async (log) => {
    for (const [index, line] of lines.entries()) {
      log.write(line);
      if (index % 5_000 === 0) await log.end();
    }
  });
  expect(text).toBe(lines.join(''));
});

test('a line is written without another line', async () => {
  await written(async (log) => {
    log.write('first\n');
    while (readFileSync(path, 'utf8') === '') await Bun.sleep(1);
    expect(readFileSync(path, 'utf8')).toBe('first\n');
  });
});

test('lines that exceed the buffer are dropped completely, and later lines are written', async () => {
  const lines = linesOf(100_000);
  const text = await written(async (log) => {
    for (const line of lines) log.write(line);
    await log.end();
    log.write('last\n');
  });
  const arrived = text.split('\n').slice(0, -1);
  expect(arrived.length).toBeGreaterThan(10_000);
  expect(arrived.length).toBeLessThan(lines.length);
  expect(arrived.slice(0, 100).join('\n')).toBe(lines.slice(0, 100).join('').trimEnd());
  expect(arrived.every((line) => line === 'last' || JSON.parse(line))).toBe(true);
  expect(arrived.at(-1)).toBe('last');
});

test('a log that cannot be written causes no error', async () => {
  await Bun.write(path, '');
  const descriptor = openSync(path, 'r');
  const log = new LogFile(descriptor);
  for (const line of linesOf(100)) log.write(line);
  await log.end();
  log.write('and again\n');
  await log.end();
  closeSync(descriptor);
  expect(readFileSync(path, 'utf8')).toBe('');
});
