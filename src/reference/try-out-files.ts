import { createHash } from 'node:crypto';
import tokensFile from '../../console/style/tokens.css' with { type: 'file' };
import type { OpenApiDocument } from '../http/document/openapi.ts';
import type { AssetContent } from '../http/response/asset.ts';
import { tryOutDocument } from './try-out-document.ts';

/** The page with the try-out, and what it loads. */
const TRY_OUT_PATH = '/docs';
const SCRIPT_PATH = '/docs/scalar.js';
const DOCUMENT_PATH = '/docs/openapi.json';

/**
 * The path of Scalar's stand-alone file, which loads nothing else. Undefined if the package is missing: it is a
 * development dependency, so an installed package of the service is without it.
 */
export async function findScalar(): Promise<string | undefined> {
  try {
    const found = await import(
      // The package does not export the file by name.
      '../../node_modules/@scalar/api-reference/dist/browser/standalone.js',
      { with: { type: 'file' } }
    );
    return found.default;
  } catch {
    return undefined;
  }
}

/** Nothing from Scalar's servers, and requests to the service that serves the page: its policy allows no other. */
const OPTIONS = {
  url: 'docs/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  modelsSectionLabel: 'Schemas',
  theme: 'none',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const START = `{
  const { createApiReference } = Scalar;
  document.querySelector('#reference').replaceChildren();
  createApiReference('#reference', {
    ...${JSON.stringify(OPTIONS)},
    servers: [{ url: new URL('v1', location.href).href, description: 'This service' }],
  });
}`;

/** Gives Scalar the colours of our pages. It sets one of the two classes by the user's choice. */
const STYLE = `
body { margin: 0; background: var(--paper) }
section:focus { outline: none }
.light-mode { color-scheme: light }
.dark-mode { color-scheme: dark }
.light-mode, .dark-mode {
  --scalar-font: var(--font);
  --scalar-font-code: var(--mono);
  --scalar-background-1: var(--paper);
  --scalar-background-2: var(--sunken);
  --scalar-background-3: var(--line);
  --scalar-background-accent: var(--accent-soft);
  --scalar-border-color: var(--line);
  --scalar-color-1: var(--ink);
  --scalar-color-2: var(--muted);
  --scalar-color-3: var(--muted);
  --scalar-color-accent: var(--accent);
  --scalar-button-1: var(--accent);
  --scalar-button-1-color: var(--on-accent);
  --scalar-button-1-hover: var(--accent-strong);
  --scalar-sidebar-background-1: var(--surface);
  --scalar-color-green: var(--accent);
  --scalar-color-blue: var(--slate);
  --scalar-color-orange: var(--amber);
  --scalar-color-yellow: var(--amber);
  --scalar-color-red: var(--danger);
}
`;

const renderPage = (tokens: string): AssetContent => ({
  contentType: 'text/html; charset=utf-8',
  headers: {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
      // Scalar writes its style into the page.
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  },
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Try it · Animal Store</title>
<style>${tokens}${STYLE}</style>
</head>
<body>
<div id="reference"><p>The page is loading. If it stays empty, read <a href="docs/plain">the reference without scripts</a>.</p></div>
<noscript><p>This page needs JavaScript. <a href="docs/plain">The reference without scripts</a> does not.</p></noscript>
<script src="docs/scalar.js"></script>
<script>${START}</script>
</body>
</html>
`,
});

/** The files of the page by path, or where to find the reference without scripts if Scalar is missing. */
export async function tryOutFiles(
  document: OpenApiDocument,
): Promise<ReadonlyMap<string, AssetContent | { readonly location: string }>> {
  const scalar = await findScalar();
  if (scalar === undefined) return new Map([[TRY_OUT_PATH, { location: 'docs/plain' }]]);
  const text = await Bun.file(scalar).text();
  return new Map([
    [TRY_OUT_PATH, renderPage(await Bun.file(tokensFile).text())],
    [SCRIPT_PATH, { contentType: 'text/javascript; charset=utf-8', text }],
    [
      DOCUMENT_PATH,
      { contentType: 'application/json', text: JSON.stringify(tryOutDocument(document)) },
    ],
  ]);
}
