/**
 * Writes what is generated from the code: openapi.json, docs/errors.md and the table of settings
 * in README.md. With --check it writes nothing, and fails when one of them is not up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { operationsOf } from '../src/app.ts';
import { baseUrlsOf, originOf } from '../src/config/base-urls.ts';
import { readConfig, SETTINGS } from '../src/config/config.ts';
import { ERRORS } from '../src/http/contract/errors.ts';
import { openApiDocument } from '../src/http/document/openapi.ts';

const atRoot = (path: string): URL => new URL(`../${path}`, import.meta.url);

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function openapi(): string {
  const config = readConfig(['host', 'port', 'environment', 'baseUrl', 'stagingBaseUrl'], {}, {});
  const document = openApiDocument(
    operationsOf(true),
    baseUrlsOf(config, originOf(config.host, config.port)),
    true,
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, message, remedy }]) => [
    `\`${code}\``,
    String(status),
    message,
    remedy,
  ]);
  return `# Errors

Every error has the body \`{"code": …, "message": …, "status": …}\`, where \`status\` is the HTTP status
of the answer. Decide by \`code\`: it is never renamed or reused, and more may be added. \`message\` is
for people; it may be more exact than the wording here, and its wording may change.

The header \`X-Request-Id\` names the request in the service's log.

${table([['Code', 'Status', 'What it means', 'What to do'], ['---', '---', '---', '---'], ...rows])}

This page is generated from \`src/http/contract/errors.ts\` by \`npm run generate\`.
`;
}

function settings(): string {
  const rows = Object.values(SETTINGS).map((setting) => [
    `\`${setting.flag}\``,
    `\`${setting.variable}\``,
    'default' in setting ? `\`${setting.default}\`` : setting.whenUnset,
    `${setting.description} Must be ${setting.allowed}.`,
  ]);
  return table([['Flag', 'Variable', 'Default', 'Meaning'], ['---', '---', '---', '---'], ...rows]);
}

/** The README with the text between the two marks replaced. */
function readme(): string {
  const [before, rest = ''] = readFileSync(atRoot('README.md'), 'utf8').split('<!-- settings -->');
  const after = rest.split('<!-- /settings -->')[1] ?? '';
  return `${before}<!-- settings -->\n${settings()}\n<!-- /settings -->${after}`;
}

const GENERATED: Readonly<Record<string, () => string>> = {
  'openapi.json': openapi,
  'docs/errors.md': errors,
  'README.md': readme,
};

for (const [path, generate] of Object.entries(GENERATED)) {
  const wanted = generate();
  if (!process.argv.includes('--check')) writeFileSync(atRoot(path), wanted);
  else if (readFileSync(atRoot(path), 'utf8') !== wanted) {
    console.error(`${path} is not up to date: run npm run generate.`);
    process.exitCode = 1;
  }
}
