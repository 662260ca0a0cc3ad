/** Tools of integrators read the served document: linters, generators of clients, an importer that sends each request. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { prepareExamples } from '../../test/support/examples.ts';
import { DOCUMENT, operationsIn } from '../../test/support/openapi-document.ts';
import {
  animalStore,
  inWorkplace,
  type RunningService,
  startService,
  withService,
} from '../../test/support/process.ts';
import { LOCAL_WEBHOOKS, sharedReceiver } from '../../test/support/webhook-receiver.ts';
import { inPackages } from '../installed.ts';
import { openWorkbench, type Workbench } from './client-tools.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = openWorkbench();
  await inWorkplace(async ({ database }) => {
    await withService(await startService(database), async ({ origin }) => {
      const response = await fetch(`${origin}/openapi.json`);
      writeFileSync(bench.file('openapi.json'), await response.text());
    });
  })();
  const specified = await animalStore(['openapi'], { variables: { EXTENSIONS: 'off' } });
  writeFileSync(bench.file('specified.json'), specified.stdout);
  const { output, status } = await bench.run('node', 'to-postman.cjs');
  expect({ output, status }).toEqual({ output, status: 0 });
}, 600_000);
afterAll(() => bench?.remove());

describe('a linter has no finding:', () => {
  test.each(['spectral-oas.yaml', 'spectral-owasp.yaml'])('Spectral with %s', async (ruleset) => {
    const flags = ['--ruleset', ruleset, '--format', 'json', '--fail-severity', 'hint'];
    const { stdout } = await bench.run('spectral', 'lint', 'openapi.json', ...flags);
    const findings: { readonly path: readonly unknown[] }[] = JSON.parse(
      stdout.slice(0, stdout.lastIndexOf(']') + 1),
    );
    // A webhook has the schema of its event, with the exceptions of that schema. Spectral does not find them there.
    expect(findings.filter(({ path: [part] }) => part !== 'webhooks')).toEqual([]);
  });

  test.each(['openapi.json', 'specified.json'])(
    'Redocly with its strict rules in %s',
    async (name) => {
      const { output, status } = await bench.run('redocly', 'lint', name);
      expect({ output, status }).toEqual({ output, status: 0 });
    },
  );
});

describe('a validator accepts', () => {
  test('the document', async () => {
    const validated = await bench.run('validate-api', 'openapi.json');
    expect(validated).toEqual({ ...validated, status: 0 });
  });

  test('each pattern: RE2, as in Go', async () => {
    const { output, status } = await bench.run('node', 'patterns.mjs');
    expect({ output, status }).toEqual({ output, status: 0 });
    expect(output).toMatch(/^[1-9][0-9]* patterns$/m);
  });
});

/** The command of each generator. It writes TypeScript into the folder of its name. */
const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': [
    'openapi-typescript',
    'openapi.json',
    '-o',
    'openapi-typescript/client.ts',
  ],
  '@hey-api/openapi-ts': ['openapi-ts', '-i', 'openapi.json', '-o', '@hey-api/openapi-ts'],
  orval: ['orval', '--input', 'openapi.json', '--output', 'orval/client.ts', '--client', 'fetch'],
  kubb: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
  'openapi-zod-client': [
    'openapi-zod-client',
    'openapi.json',
    '-o',
    'openapi-zod-client/client.ts',
  ],
  'openapi-typescript-codegen': [
    'node',
    // Another tool has a program of the same name.
    inPackages('openapi-typescript-codegen/bin/index.js'),
    '--input',
    'openapi.json',
    '--output',
    'openapi-typescript-codegen',
  ],
  'swagger-typescript-api': [
    'swagger-typescript-api',
    'generate',
    '--path',
    'openapi.json',
    '--output',
    'swagger-typescript-api',
  ],
};

/** What integrators write with the generated types: a body without what has a default, and an event by its type. */
const use = (imports: string, order: string, event: string) => `${imports}
export const order: ${order} = { petId: 1 };
export const nameOf = (event: ${event}): string | undefined =>
  event.type === 'pet.created' || event.type === 'pet.updated' ? event.data.name : undefined;
export const countOf = (event: ${event}): number | bigint | undefined =>
  event.type === 'pets.imported' ? event.data.count : undefined;
`;

const USES: Readonly<Record<string, string>> = {
  'openapi-typescript': use(
    "import type { components } from './client';",
    "components['schemas']['NewOrder']",
    "components['schemas']['StoreEvent']",
  ),
  '@hey-api/openapi-ts': use(
    "import type { NewOrder, StoreEvent } from './types.gen';",
    'NewOrder',
    'StoreEvent',
  ),
  'openapi-typescript-codegen': use(
    "import type { NewOrder, StoreEvent } from './index';",
    'NewOrder',
    'StoreEvent',
  ),
  'swagger-typescript-api': use(
    "import type { NewOrder, StoreEvent } from './Api';",
    'NewOrder',
    'StoreEvent',
  ),
};

test.each(Object.entries(GENERATORS))(
  '%s generates a client that compiles with tsc --strict',
  async (name, [tool = '', ...args]) => {
    mkdirSync(bench.file(name), { recursive: true });
    const generated = await bench.run(tool, ...args);
    expect(generated).toEqual({ ...generated, status: 0 });
    const program = USES[name];
    if (program) writeFileSync(bench.file(`${name}/use.ts`), program);
    cpSync(bench.file('tsconfig.json'), bench.file(`${name}/tsconfig.json`));
    const compiled = await bench.run('tsc', '--project', name);
    expect(compiled).toEqual({ ...compiled, status: 0 });
  },
);

interface Value {
  readonly key: string;
  value: string;
}

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: { header?: Value[]; readonly url: { query: Value[] } };
}

/** A position in the feed is valid in one database only. */
const isPosition = ({ key }: Value): boolean => /^(?:after|cursor|Last-Event-ID)$/.test(key);

/** The requests of a collection, without the folders that contain them. */
const requestsIn = ({ item }: Item): Item[] =>
  (item ?? []).flatMap((each) => (each.item === undefined ? [each] : requestsIn(each)));

/** Sends the imported request of an operation to a service with what its examples name. */
async function sendImported(
  operation: { readonly operationId: string; readonly path: string; readonly summary: string },
  { origin, firstKey = '' }: RunningService,
): Promise<number | undefined> {
  await prepareExamples(operation, async (method, path, body) => {
    const headers = { Authorization: `Bearer ${firstKey}`, 'Content-Type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    expect((await fetch(`${origin}/v1${path}`, init)).status).toBeWithin(200, 300);
  });
  const imported = readFileSync(bench.file('collection.json'), 'utf8');
  // The receiver of the example is nobody's.
  const collection = JSON.parse(
    imported.replaceAll('https://shop.example/webhooks', sharedReceiver()),
  );
  const item = requestsIn(collection).filter(({ name }) => name === operation.summary);
  expect(item).toHaveLength(1);
  const tagged = item[0]?.request?.header?.find(({ key }) => key === 'If-Match');
  if (tagged) {
    const url = `${origin}/v1${operation.path.replace(/\{\w+\}/, '1')}`;
    const current = await fetch(url, { headers: { Authorization: `Bearer ${firstKey}` } });
    tagged.value = current.headers.get('etag') ?? '';
  }
  const url = item[0]?.request?.url;
  if (url && operation.path === '/events')
    url.query = url.query.filter((each) => !isPosition(each));
  writeFileSync(bench.file('one.json'), JSON.stringify({ ...collection, item }));
  const variables = [`baseUrl=${origin}/v1`, `bearerToken=${firstKey}`];
  const { output } = await bench.run(
    'newman',
    ...['run', 'one.json', '--reporters', 'json', '--reporter-json-export', 'report.json'],
    ...variables.flatMap((variable) => ['--env-var', variable]),
  );
  const { run } = JSON.parse(readFileSync(bench.file('report.json'), 'utf8'));
  expect({ output, failures: run.failures }).toEqual({ output, failures: [] });
  expect(run.executions).toHaveLength(1);
  return run.executions[0].response?.code;
}

/** Without the stream: it has no end, for which Newman waits. */
const OPERATIONS = operationsIn(DOCUMENT)
  .filter(({ operationId }) => operationId !== 'streamEvents')
  .map((operation) => [operation.operationId, operation] as const);

describe('Newman sends an imported request with all parameters, and with the tag of the resource in If-Match, and gets a success:', () => {
  test.each(OPERATIONS)('%s', async (_id, operation) => {
    await inWorkplace(async ({ database }) => {
      await withService(
        await startService(database, [], { variables: LOCAL_WEBHOOKS }),
        async (service) => {
          expect(await sendImported(operation, service)).toBeWithin(200, 300);
        },
      );
    })();
  });
});
