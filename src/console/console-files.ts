import { type BuiltFile, FOR_EVER, hashOf, PAGE_NAME, pageHeaders } from '../build-page.ts';
import type { AssetContent } from '../http/response/asset.ts';

/** The path of the page. Its other files are below `FILES_PATH`. */
export const CONSOLE_PATH = '/';
const FILES_PATH = '/console/';

/**
 * Reloads the page once if a file is missing: another version of the service may have sent the page. A page that
 * is complete may reload again the next time. A name of the window lasts where a browser refuses its storage.
 */
const RELOAD = `{
  const mark = 'animal-store-reloaded';
  let isComplete = true;
  addEventListener('error', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    isComplete = false;
    if (window.name !== mark) {
      window.name = mark;
      location.reload();
    } else {
      document.body.textContent = 'This page could not be loaded. Reload it in a minute.';
    }
  }, true);
  addEventListener('load', () => {
    if (isComplete && window.name === mark) window.name = '';
  });
}`;

/** The one inline script is named by its hash. */
const PAGE_HEADERS = pageHeaders(
  `script-src 'self' '${hashOf(RELOAD)}'`,
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
);

/** The files of the console by path. Links are relative, so that a proxy may serve them below another path. */
export function consoleFiles(built: readonly BuiltFile[]): ReadonlyMap<string, AssetContent> {
  const others = built.filter(({ name }) => name !== PAGE_NAME);
  return new Map(
    built.map(({ name, contentType, text }): [string, AssetContent] =>
      name === PAGE_NAME
        ? [CONSOLE_PATH, { contentType, headers: PAGE_HEADERS, text: renderPage(text, others) }]
        : [FILES_PATH + name, { contentType, headers: FOR_EVER, text }],
    ),
  );
}

function renderPage(html: string, files: readonly BuiltFile[]): string {
  let page = html.replace('<head>', `<head>\n    <script>${RELOAD}</script>`);
  for (const { name } of files) {
    page = page.replaceAll(
      new RegExp(`"\\.?/${RegExp.escape(name)}"`, 'g'),
      `".${FILES_PATH}${name}"`,
    );
  }
  return page;
}

const SWITCHED_OFF_STYLE =
  'body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 32rem; padding: 0 1rem }';

/** The page of a service without the operations that the console needs. */
export const SWITCHED_OFF: AssetContent = {
  contentType: 'text/html; charset=utf-8',
  headers: pageHeaders(`style-src '${hashOf(SWITCHED_OFF_STYLE)}'`),
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Animal Store</title>
<style>${SWITCHED_OFF_STYLE}</style>
</head>
<body>
<h1>Animal Store</h1>
<p>This page is switched off: the service runs with EXTENSIONS=off, and the page needs its additions.</p>
</body>
</html>
`,
};
