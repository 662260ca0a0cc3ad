/** The loader of docs/recipes.md: what it prints, and that failures neither double nor lose an animal. */
import { expect, test } from 'bun:test';
import { renderJson } from '../../sdk/src/index.ts';
import { killAfterEachRequest } from '../support/guide-program.ts';
import { runProgram } from '../support/process.ts';
import { useGuideService } from './guide-service.ts';

const { proxy, project, connect, direct, through, serveInProcess } = useGuideService('load');

const NAMES = Array.from({ length: 2_500 }, (_, index) => `animal\u2028${index}`);
const writeFile = () => {
  const lines = NAMES.map((name) => renderJson({ name, categoryId: 2n ** 63n - 1n }));
  return Bun.write(project().file('animals.ndjson'), `${lines.join('\n')}\n`);
};
/** Each animal of the file once, in its order, is all that the service has. */
const expectLoaded = async () => {
  const animals = await connect().pets.list({ limit: 100 }).toArray();
  expect(animals.map(({ name }) => name)).toEqual(NAMES);
  expect(animals[0]?.categoryId).toBe(2n ** 63n - 1n);
};
const start = () => project().start(through(), 'animals.ndjson');

test('the commands print what the page shows', () => project().expectShown(direct()));

test('a loader that is killed after each of its requests doubles no animal, and loses none', async () => {
  await writeFile();
  // Each later run first repeats the request that was interrupted.
  const kills = await killAfterEachRequest(proxy, start, (killed) => (killed === 0 ? 1 : 2));
  expect(kills).toBe(3);
  await expectLoaded();
});

test('a service that is killed after requests doubles no animal, and loses none', async () => {
  const { killAfter } = await serveInProcess();
  await writeFile();
  // The loader repeats the first and the last one of its three requests.
  const kills = killAfter((number) => number === 1 || number === 4);
  const run = start();
  await run.exited;
  expect([run.exitCode, kills()]).toEqual([0, 2]);
  await expectLoaded();
});

test('a load that is resumed after its keys have ended stops before it doubles an animal', async () => {
  await writeFile();
  const progress = { key: 'old', count: 1_000, time: Date.now() - 24 * 3_600_000 };
  await Bun.write(project().file('animals.ndjson.progress'), JSON.stringify(progress));
  const { status, stderr } = await project().run(direct(), 'animals.ndjson');
  expect([status, stderr]).toEqual([1, expect.stringContaining('Too late: compare')]);
});

test('a file that is not there is named, and leaves no key', async () => {
  const { stderr } = await project().run(direct(), 'lost.ndjson');
  expect(stderr).toContain('There is no file lost.ndjson');
  expect(await Bun.file(project().file('lost.ndjson.progress')).exists()).toBe(false);
});

test.each([
  ['no JSON', '{"name":', /Line 2 of bad\.ndjson is no JSON/],
  ['not UTF-8', '{"name":"L\xf6we","categoryId":8}', /not valid for encoding utf-8/],
])('a line that is %s ends the load', async (_what, line, message) => {
  const text = `{"name":"Rex","categoryId":8}\n${line}\n`;
  await Bun.write(project().file('bad.ndjson'), Buffer.from(text, 'latin1'));
  const { status, stderr } = await project().run(direct(), 'bad.ndjson');
  expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
});

test.each([
  [1_001, '{"name":"","categoryId":8}', /^pets\[0] is line 1001\.\n.*pets\[0]\.name: must not be/],
  [2, '{"name":', /^Line 2 is no animal\.\n$/],
])('load.sh says at once that line %d is refused: %s', async (number, line, message) => {
  const animal = '{ "name": "\\"R\\u00e9x{,", "categoryId": -8 }\r\n';
  await Bun.write(project().file('bad.ndjson'), `${animal.repeat(number - 1)}${line}\n${animal}`);
  const variables = { STORE: `${direct().origin}/v1`, KEY: direct().key };
  const options = { cwd: project().path, variables };
  const { status, stderr } = await runProgram(['sh', 'load.sh', 'bad.ndjson', 'bad'], options);
  expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
});
