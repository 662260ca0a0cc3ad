import { createHash } from 'node:crypto';
import type { OpenApiDocument } from './openapi.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
code { background: #f2f2f2; padding: .1em .3em; border-radius: 3px }
section { border-top: 1px solid #ccc; margin-top: 2rem }
dt { font-weight: 600 } dd { margin: 0 0 .5rem 1.5rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } code { background: #333 } a { color: #8bf } }
`;

/** The page loads nothing, runs no script and cannot be framed. The hash allows its own style (CSP Level 3). */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

/** The documentation as one HTML page without scripts, generated from the OpenAPI document. */
export const docsPage = (document: OpenApiDocument) => ({
  html: renderPage(document),
  headers: HEADERS,
});

function renderPage(document: OpenApiDocument): string {
  const { info, servers = [], paths = {} } = document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, heading: `${method.toUpperCase()} ${path}` }] : [];
    }),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(info.title)}</h1>
<p>${inline(info.description ?? '')}</p>
<p>The whole description, for tools: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<dl>${servers.map(({ url, description = '' }) => `<dt>${escapeHtml(description)}</dt><dd><code>${escapeHtml(url)}</code></dd>`).join('\n')}</dl>
${operations.map((operation) => describeOperation(operation, document)).join('\n')}
<section id="deprecated">
<h2>Deprecated operations</h2>
${operations
  .filter((operation) => operation.deprecated)
  .map(
    (operation) =>
      `<p><a href="#${operation.operationId}"><code>${escapeHtml(operation.heading)}</code></a>: ${inline(operation.description ?? '')}</p>`,
  )
  .join('\n')}
</section>
</body>
</html>
`;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type PathItem = NonNullable<OpenApiDocument['paths']>[string];
type DocumentedOperation = NonNullable<PathItem['get']> & { heading: string };

function describeOperation(
  operation: DocumentedOperation,
  { components = {} }: OpenApiDocument,
): string {
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, response]) =>
      `<dt>${status}</dt><dd>${inline(spelledOut(response, components.responses).description)}</dd>`,
  );
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const { name, description = '' } = spelledOut(parameter, components.parameters);
    return `<dt><code>${escapeHtml(name)}</code></dt><dd>${inline(description)}</dd>`;
  });
  return `<section id="${operation.operationId}">
<h2>${escapeHtml(operation.summary ?? '')}${operation.deprecated ? ' (deprecated)' : ''}</h2>
<p><code>${escapeHtml(operation.heading)}</code></p>
<p>${inline(operation.description ?? '')}</p>
${parameters.length > 0 ? `<h3>Parameters</h3>\n<dl>${parameters.join('\n')}</dl>` : ''}
<h3>Responses</h3>
<dl>${responses.join('\n')}</dl>
</section>`;
}

interface Reference {
  readonly $ref: string;
}

const isReference = (part: object): part is Reference => '$ref' in part;

/** The part of the document itself, or the component that it refers to. */
function spelledOut<Part extends object>(
  part: Part,
  components: Readonly<Record<string, Part>> = {},
): Exclude<Part, Reference> {
  if (!isReference(part)) return part as Exclude<Part, Reference>;
  const { $ref } = part;
  const component = components[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (component === undefined) throw new Error(`The document has no ${$ref}.`);
  return component as Exclude<Part, Reference>;
}

/** Renders the Markdown that our descriptions use: code and paragraphs. */
const inline = (text: string): string =>
  escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
