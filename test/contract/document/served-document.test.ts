/** The OpenAPI document at /openapi.json. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import document from '../../../openapi.json' with { type: 'json' };
import type { OpenApiDocument } from '../../../src/http/document/openapi.ts';
import { createContext } from '../../../src/http/request/context.ts';
import { publicEndpoints } from '../../../src/http/routing/public-endpoints.ts';
import { BASE_URLS, startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function fetchDocument(extensions: boolean) {
  const service = await startService({ rules: { extensions } });
  const response = await service.request('GET', '/openapi.json', { key: null });
  await service.close();
  return response;
}

describe('/openapi.json', () => {
  test('is the committed document with the configured base URLs', async () => {
    const servers = [
      { url: BASE_URLS.production, description: 'Production' },
      { url: BASE_URLS.staging, description: 'Staging' },
    ];
    expect((await fetchDocument(true)).json).toEqual({ ...document, servers });
  });

  test('is generated once', async () => {
    let generated = 0;
    const handle = publicEndpoints({
      ping() {},
      isStopping: () => false,
      document() {
        generated += 1;
        return document as unknown as OpenApiDocument;
      },
      docsPage: () => ({ html: '', headers: {} }),
    });
    for (let time = 0; time < 3; time += 1) {
      const request = new Request('http://x/openapi.json');
      const context = createContext(request, 0, () => 'x');
      expect((await handle(request, context)).status).toBe(200);
    }
    expect(generated).toBe(1);
  });
});

describe('/openapi.json with EXTENSIONS=off', () => {
  interface Operation {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string }[];
    readonly responses: object;
  }
  let text: string;
  let operations: readonly Operation[];
  beforeAll(async () => {
    const response = await fetchDocument(false);
    const { paths } = response.json as { paths: Record<string, Record<string, Operation>> };
    text = response.text;
    operations = Object.values(paths).flatMap((item) => Object.values(item));
  });

  test('has only the three specified operations and their specified parameters', () => {
    const listed = operations.map(({ operationId, parameters = [] }) => [
      operationId,
      parameters.map(({ name }) => name),
    ]);
    expect(listed).toEqual([
      ['listPets', ['limit', 'status']],
      ['createPet', []],
      ['getPet', ['petId']],
    ]);
  });

  test('documents no status that only extensions return', () => {
    for (const { responses } of operations)
      for (const status of ['204', '304', '409', '412', '422', '428'])
        expect(responses).not.toHaveProperty(status);
  });

  test('has no stability marks', () => {
    expect(text).not.toContain('x-stability');
  });

  test('does not mention pages, added filters, entity tags or retries', () => {
    const { responses } = operations.find(({ operationId }) => operationId === 'listPets') ?? {};
    expect(responses).not.toHaveProperty(['200', 'headers', 'Link']);
    const described = JSON.stringify(operations);
    for (const word of ['next page', 'cursor', '`id`', 'ETag', 'If-Match', 'Idempotency'])
      expect(described).not.toContain(word);
  });

  test('is a valid OpenAPI document', () => {
    const folder = temporaryFolder();
    writeFileSync(folder.file('openapi.json'), text);
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      ['node_modules/.bin/redocly', 'lint', folder.file('openapi.json')],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    folder.remove();
    expect(`${exitCode} ${stderr}${stdout}`).toStartWith('0 ');
  });
});
