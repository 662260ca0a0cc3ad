/** LogFile writes complete lines in batches and in order. */
import { expect, spyOn, test } from 'bun:test';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogFile } from '../../src/observe/log-file.ts';
import { openPipe } from '../process/pipes.ts';
import { spawnGuarded } from '../support/guard.ts';
import { inWorkplace, ROOT, runProgram, until } from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useEach } from '../support/use-each.ts';

const folder = useEach(temporaryFolder);
const path = () => folder.file('log');

/** Runs `work` with a log, and returns the content of its file. */
async function written(work: (log: LogFile) => Promise<void> | void): Promise<string> {
  const descriptor = openSync(path(), 'w');
  const log = new LogFile(descriptor);
  await work(log);
  await log.end();
  closeSync(descriptor);
  return readFileSync(path(), 'utf8');
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
    expect(log.waiting).toBe(1);
    while (readFileSync(path(), 'utf8') === '') await Bun.sleep(1);
    expect(readFileSync(path(), 'utf8')).toBe('first\n');
  });
});

test(
  'a line that comes during a write is written without another line',
  inWorkplace(async (place) => {
    const program = `
      import { LogFile } from ${JSON.stringify(join(ROOT, 'src/observe/log-file.ts'))};
      const log = new LogFile(1);
      for (const line of ['first', 'second']) {
        log.write(line + '\\n');
        await Bun.sleep(100); // The first write begins, and the buffer is to be written again.
      }
      console.error('waiting');`;
    using pipe = openPipe(place);
    pipe.fill();
    const command = [process.execPath, '-e', program];
    const child = spawnGuarded(command, { stdout: pipe.input, stderr: 'pipe' });
    await child.stderr.getReader().read();
    const begin = pipe.drain();
    // It exits when nothing is left to do.
    expect(await child.exited).toBe(0);
    expect(begin + pipe.drain()).toBe('first\nsecond\n');
  }),
);

test('lines that exceed the buffer are dropped completely, and later lines are written', async () => {
  const lines = linesOf(100_000);
  let dropped = 0;
  const text = await written(async (log) => {
    for (const line of lines) log.write(line);
    await log.end();
    dropped = log.dropped;
    log.write('last\n');
  });
  const arrived = text.split('\n').slice(0, -1);
  expect(arrived.length + dropped).toBe(lines.length + 1);
  expect(arrived.length).toBeGreaterThan(10_000);
  expect(arrived.length).toBeLessThan(lines.length);
  expect(arrived.slice(0, 100).join('\n')).toBe(lines.slice(0, 100).join('').trimEnd());
  expect(arrived.every((line) => line === 'last' || JSON.parse(line))).toBe(true);
  expect(arrived.at(-1)).toBe('last');
});

test('lines about requests leave room for others in a full buffer', async () => {
  const text = await written((log) => {
    for (const line of linesOf(100_000)) log.write(line, 'request');
    expect(log.dropped).toBeGreaterThan(0);
    log.write(`${'x'.repeat(20_000)}\n`);
    log.write('last\n');
  });
  expect(text.split('\n').slice(-3)).toEqual(['x'.repeat(20_000), 'last', '']);
});

test('dropped lines are reported once in ten seconds, and at the end', async () => {
  const reports: number[] = [];
  // Time stands still: a busy disk may take longer than ten seconds.
  using _now = spyOn(performance, 'now').mockReturnValue(0);
  const text = await written(async (log) => {
    log.onDropped = (count) => {
      reports.push(count);
      log.write(`${count} dropped\n`);
    };
    for (let round = 0; round < 2; round += 1) {
      const before = log.dropped;
      for (let line = 0; line < 1_000 && log.dropped < before + 10; line += 1)
        log.write(`${'x'.repeat(9_999)}\n`);
      await until(() => log.waiting === 0);
      expect(reports).toEqual([10]);
    }
  });
  expect(reports).toEqual([10, 10]);
  expect(text).toEndWith('10 dropped\n');
});

test.skipIf(!canMount)(
  'on a disk that is full for a time, no line is broken, and each one is written or counted',
  async () => {
    const disk = folder.file('disk');
    mkdirSync(disk);
    await withSmallDisk(disk, '256k', async () => {
      const descriptor = openSync(join(disk, 'log'), 'a');
      const log = new LogFile(descriptor);
      // As much space as 8,000 lines need, and no multiple of a line.
      const lines = linesOf(200_000);
      for (const [index, line] of lines.entries()) {
        log.write(line, 'request');
        if (index % 2_000 === 0) await Bun.sleep(1);
      }
      log.write('the disk is full\n');
      await until(() => /.{9}[^\n]$/s.test(readFileSync(join(disk, 'log'), 'utf8').slice(100_000)));
      await runProgram(['mount', '-o', 'remount,size=16m', disk]);
      await log.end();
      closeSync(descriptor);
      const arrived = readFileSync(join(disk, 'log'), 'utf8').split('\n').slice(0, -1);
      expect(arrived.at(-1)).toBe('the disk is full');
      const numbers = arrived.slice(0, -1).map((line) => JSON.parse(line).line);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers.length + log.dropped).toBe(lines.length);
    });
  },
);
