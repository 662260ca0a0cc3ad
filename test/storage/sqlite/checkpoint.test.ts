import { expect, test } from 'bun:test';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { useEach } from '../../support/use-each.ts';
import { openScratch } from './scratch.ts';

const scratch = useEach(openScratch);

test('writes are acknowledged before the checkpoint that follows, and requests come in between', async () => {
  const steps: string[] = [];
  const writer = new Writer(scratch.writing(), {
    checkpoint: { isDue: () => steps.length < 3, run: () => void steps.push('checkpoint') },
  });
  const write = writer.write(() => {
    setImmediate(() => steps.push('request'));
  });
  await write.then(() => steps.push('acknowledged'));
  await writer.drain();
  await writer.write(() => {});
  await writer.drain();
  expect(steps).toEqual(['acknowledged', 'request', 'checkpoint']);
});
