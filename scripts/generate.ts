/**
 * Writes the files that are generated from the code: openapi.json, docs/errors.md, docs/settings.md, the picture and the
 * table of orders in docs/integrate.md, the metrics in docs/telemetry.md, the licences of what is bundled, and the types of the SDK. With --check it writes nothing, and fails if a file is not up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { operationsOf } from '../src/app.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { escapeControlCharacters } from '../src/control-characters.ts';
import { ERRORS } from '../src/http/contract/errors.ts';
import { openApiDocument } from '../src/http/document/openapi.ts';
import type { ReadDocument } from '../src/http/document/read-document.ts';
import { renderIndentedJson } from '../src/http/request/exact-json.ts';
import { METRICS, type MetricDeclaration } from '../src/observe/metrics/catalogue.ts';
import { describeOrderStates, drawOrderStates } from '../src/orders/order-states.ts';
import { sdkTypes } from './sdk-types.ts';
import { consoleNotices } from './third-party-licenses.ts';

const atRoot = (path: string): URL => new URL(`../${path}`, import.meta.url);

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** The specification has two environments. Their addresses are settings of each service. */
const BASE_URLS = {
  production: 'http://127.0.0.1:8080/v1',
  staging: 'http://127.0.0.1:8081/v1',
};

function openapi(): string {
  const document = openApiDocument(operationsOf(true), BASE_URLS, true);
  // An editor would obey the characters of its patterns that turn the direction of text.
  const lines = renderIndentedJson(document).split('\n').map(escapeControlCharacters);
  return `${lines.join('\n')}\n`;
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, message, remedy }]) => [
    `\`${code}\``,
    String(status),
    message,
    remedy,
  ]);
  return `# Errors

Every error has the body \`{"code": …, "message": …, "status": …}\` with the HTTP status. Decide by \`code\`: no code is ever renamed or reused, and
more may be added. \`message\` may be more exact than below. The runtime refuses
[malformed HTTP](failures.md#a-client-sends-invalid-http11) with an empty body. [Retries](retries.md#which-requests-to-repeat) says what to repeat.

The \`message\` of \`validation_failed\`, \`invalid_parameter\` and \`read_only_field\` has a grammar that does not change:

\`\`\`abnf
message = fault *( "; " fault ) [ "; and " number " more" ]  ; at most 10
fault   = path ": " text                                     ; no ";" in the text
path    = name *( "." name / "[" number "]" )                ; such as pets[3].name
name    = 1*( ALPHA / DIGIT / "_" ) / string                 ; in JSON (RFC 8259)
number  = 1*DIGIT
\`\`\`

A name of more than 64 characters is cut, and ends with \`…\`.

${table(['Code', 'Status', 'What it means', 'What to do'], rows)}

Generated from \`src/http/contract/errors.ts\`.
`;
}

function settings(): string {
  const rows = Object.values(SETTINGS).map((setting) => [
    `\`${setting.variable}\``,
    'default' in setting ? `\`${setting.default}\`` : setting.whenUnset,
    // A message of a refusal has them in full, with examples.
    setting.allowed
      .replace(/^one of |^the path of |a (duration|whole number) from /, '')
      .replace(/, such as (500ms, )?[^,]*(, with letters.*)?/, ''),
    setting.description,
  ]);
  return `# Settings

Each setting is an environment variable, and a flag of \`animal-store serve\` (or of \`npm start --\`). The flag is the name of the variable in
lower case: \`RATE_LIMIT\` is \`--rate-limit\`. Only \`DATABASE_URL\` is \`--database\`. A flag takes precedence. An empty variable counts as
not set. [Install](install.md#change-a-setting) says where to write settings. \`animal-store COMMAND --help\` lists the settings of a command.

A duration is a number and a unit: \`500ms\`, \`30s\`, \`2m\`, \`1h\` or \`90d\`.

${table(['Variable', 'Default', 'Values', 'Meaning'], rows)}

## EXTENSIONS=off

The service then has only the three specified operations. The OpenAPI document and the reference describe only these. The guides and the console are off.
\`CORS_ORIGINS\`, \`RATE_LIMIT\` and \`Prefer: handling=strict\` still work.

## Per process

Each process counts \`RATE_LIMIT\` and \`EVENT_STREAMS\` for itself. Two instances with four workers each allow a client eight times the limit.
The database adds up the [usage](access.md#see-who-uses-which-operation) of all processes.

The service never limits refused credentials. A limit by address would let one client lock out its neighbours. The log and the metrics count them.

## Client addresses

With \`LOG_CLIENT_ADDRESS=on\`, the log has the address of each client. Behind a proxy, set \`TRUST_PROXY=on\`: without it, the log has the address of
the proxy. Without a proxy, leave it off: with it, clients choose the address in the log.

The service uses the last entry of \`X-Forwarded-For\`. Behind two proxies, let the inner proxy replace this entry by the address of the client, as
\`real_ip\` of nginx does. If the entry is no IP address, the log has the address of the connection.

## Orders

The service checks once a second which orders expire after \`ORDER_HOLD_MINUTES\`. \`ORDER_RETENTION\` deletes ended orders every ten minutes, 100 at
a time. Open orders and animals stay. **Back up before you set it.** Deleted orders cannot be brought back, and a
[clock that is months ahead](failures.md#the-clock-of-the-machine-is-wrong) deletes too many. The event \`orders_deleted\` has their number.

This page is generated from \`src/config/settings.ts\` by \`npm run generate\`.
`;
}

/** What a value means with `--workers`. The page says once that most are sums. */
const ACROSS_WORKERS: Readonly<Record<MetricDeclaration['aggregation'], string>> = {
  sum: '',
  max: ' With workers: the highest.',
  min: ' With workers: the lowest.',
  each: ' One per `worker`.',
};

/** The page about metrics and the log, with the table of metrics. */
function telemetry(): string {
  const declared: Readonly<Record<string, MetricDeclaration>> = METRICS;
  const rows = Object.entries(declared).map(([name, { type, labels, aggregation, help }]) => [
    `\`${name}${labels.length === 0 ? '' : `{${labels.join()}}`}\``,
    `${help}${type === 'histogram' ? ' A histogram.' : ''}${ACROSS_WORKERS[aggregation]}`,
  ]);
  const page = readFileSync(atRoot('docs/telemetry.md'), 'utf8');
  const place = /\| Metric \| Meaning \|\n(?:\|.*\n)+/;
  if (!place.test(page)) throw new Error('docs/telemetry.md has no place for the metrics.');
  return page.replace(place, () => `${table(['Metric', 'Meaning'], rows)}\n`);
}

/** The guide with the picture of orders, and the table that follows it. */
function integrate(): string {
  const guide = readFileSync(atRoot('docs/integrate.md'), 'utf8');
  const states = table(
    ['Status', 'Meaning', 'The animal is then', 'It can become'],
    describeOrderStates(),
  );
  const picture = `\`\`\`mermaid\n${drawOrderStates()}\`\`\`\n\n${states}\n`;
  const place = /```mermaid\n[^`]*```\n\n(?:\|.*\n)+/;
  if (!place.test(guide)) throw new Error('docs/integrate.md has no place for the picture.');
  return guide.replace(place, () => picture);
}

const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'openapi.json': openapi,
  'docs/errors.md': errors,
  'docs/integrate.md': integrate,
  'docs/settings.md': settings,
  'docs/telemetry.md': telemetry,
  'src/console/notices.txt': consoleNotices,
  // The document as JSON, as its readers see it.
  'sdk/src/generated.ts': () =>
    sdkTypes(JSON.parse(openapi()) as ReadDocument, Object.keys(ERRORS)),
};

for (const [path, generate] of Object.entries(GENERATED)) {
  const content = await generate();
  if (!process.argv.includes('--check')) writeFileSync(atRoot(path), content);
  else if (readFileSync(atRoot(path), 'utf8') !== content) {
    console.error(`${path} is not up to date: run npm run generate.`);
    process.exitCode = 1;
  }
}
