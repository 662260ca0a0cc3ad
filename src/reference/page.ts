import { type BuiltFile, hashOf, pageHeaders } from '../build-page.ts';
import type { AssetContent } from '../http/response/asset.ts';
import { html, Markup } from './html.ts';

export interface Page {
  readonly title: string;
  /** The path of the page relative to `/docs/`. */
  readonly href: string;
  /** What is on the page. */
  readonly contents: Markup;
  readonly body: Markup;
}

interface Frame {
  readonly style: string;
  readonly script: BuiltFile;
  readonly links: readonly Pick<Page, 'href' | 'title'>[];
}

/**
 * Writes a page. It loads its script only, which sends requests to this origin only. Links are relative, so that a proxy may
 * serve the pages below another path. The contents are there twice: beside the page, or folded above it.
 */
export const renderPage = (page: Page, { style, script, links }: Frame): AssetContent => ({
  contentType: 'text/html; charset=utf-8',
  headers: pageHeaders("script-src 'self'", `style-src '${hashOf(style)}'`, "connect-src 'self'"),
  text: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Animal Store</title>
<style>${new Markup(style)}</style>
<script type="module" src="${relative(script.name, page.href)}" integrity="${hashOf(script.text)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<p class="brand">Animal Store <span>API</span></p>
<nav aria-label="Pages"><ul class="pages">${links.map(
    ({ href, title }) =>
      html`<li><a href="${relative(href, page.href)}"${href === page.href && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul></nav>
<search class="search" hidden>
<input class="input" type="search" aria-label="Search" aria-keyshortcuts="/" placeholder="Search ( / )" autocomplete="off">
<ul class="results" aria-label="Results" hidden></ul>
<p class="visually-hidden" role="status"></p>
</search>
</header>
<div class="frame">
<nav class="contents wide" aria-label="On this page">${page.contents}</nav>
<nav class="contents narrow" aria-label="On this page"><details><summary>On this page</summary>${page.contents}</details></nav>
<main id="content">${page.body}</main>
</div>
</body>
</html>
`.text,
});

/** The page `/docs` itself is one level above the others. */
const relative = (href: string, from: string): string =>
  from === REFERENCE_HREF ? `docs/${href}`.replace(/^docs\/\.\.\//, '') : href;

/** The reference itself, relative to `/docs/`. */
export const REFERENCE_HREF = '../docs';
